// A peer that breaks the protocol, over a real WebSocket: it may lose its streams or its link, and nothing else happens.
import { once } from "node:events";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { WebSocket } from "ws";
import type { Link } from "../session/index.ts";
import { idleStats, openHead } from "../session/session-pair.fixture.ts";
import { frameTypes, readFrame, resetCodes } from "../wire/index.ts";
import { openSocketPair, type SocketPair } from "./link-pair.fixture.ts";
import { acceptLink } from "./ws-link.ts";

let sockets: SocketPair;
let peer: WebSocket;
let link: Link;
let received = 0;

beforeEach(async () => {
  sockets = await openSocketPair();
  peer = sockets.agentSocket;
  received = 0;
  const onData = (chunk: Uint8Array): void => {
    received += chunk.byteLength;
  };
  link = acceptLink({ socket: sockets.hubSocket, accept: () => ({ onData, onEnd() {}, onReset() {} }) });
});

afterEach(() => sockets.close());

it("closes the link at a frame that isn't one", async () => {
  peer.send(Buffer.from([1, 2, 3]));
  expect(await link.closed).toMatchObject({ reason: "violation", error: { code: "LINK_FRAME_TRUNCATED" } });
  const [code, reason] = await once(peer, "close");
  expect([code, String(reason)]).toEqual([4400, "LINK_FRAME_TRUNCATED"]);
});

it("closes the link at a text message", async () => {
  peer.send("hello");
  expect(await link.closed).toMatchObject({ reason: "violation", error: { code: "LINK_FRAME_INVALID" } });
});

it("closes the link at an oversized message without keeping it", async () => {
  peer.on("error", () => {});
  peer.send(Buffer.alloc(4 << 20));
  expect(await link.closed).toMatchObject({ reason: "violation", error: { code: "LINK_FRAME_TOO_LARGE" } });
});

it("closes the link at a frame for a stream that never was", async () => {
  peer.send(frame(frameTypes.window, 41, Buffer.alloc(4)));
  expect(await link.closed).toMatchObject({ reason: "violation", error: { code: "LINK_UNKNOWN_STREAM" } });
});

it("resets a stream whose data goes beyond its credit, and the link when that goes on", async () => {
  hello();
  for (let id = 1; id <= 33; id += 2) {
    peer.send(open(id));
    peer.send(data(id, 0, 16_384));
    peer.send(data(id, 16_384, 65_536));
    for (let count = 1; count < 20; count++) peer.send(data(id, 16_384 + count * 65_536, 65_536));
  }
  const refused = await nextFrame("reset");
  expect(refused).toMatchObject({ stream: 1, code: resetCodes.flowControl });
  expect(await link.closed).toMatchObject({ reason: "violation", error: { code: "LINK_CREDIT_EXCEEDED" } });
  expect(link.stats()).toMatchObject(idleStats);
});

it("ignores frame types that it doesn't know", async () => {
  hello();
  peer.send(frame(99, 7, Buffer.from("from the future")));
  peer.send(frame(frameTypes.resume, 0, Buffer.from("{}")));
  expect(await linkAnswers()).toBe(true);
});

it("resets only the stream whose head is malformed", async () => {
  hello();
  peer.send(open(1));
  peer.send(frame(frameTypes.open, 3, Buffer.from("{not json")));
  expect(await nextFrame("reset")).toMatchObject({ stream: 3, code: resetCodes.protocol });
  peer.send(frame(frameTypes.open, 5, Buffer.from(JSON.stringify({ ...openHead(), target: "moon", window: 1 }))));
  expect(await nextFrame("reset")).toMatchObject({ stream: 5, code: resetCodes.unknownTarget });
  expect(link.stats().streams.opening).toBe(1);
});

it("works with a newer peer that still speaks our version, and tells one that doesn't", async () => {
  peer.send(frame(frameTypes.settings, 0, Buffer.from(JSON.stringify({ versions: [1, 2, 3], lanes: 4 }))));
  expect(await linkAnswers()).toBe(true);
  peer.send(frame(frameTypes.settings, 0, Buffer.from(JSON.stringify({ versions: [7] }))));
  expect(await link.closed).toMatchObject({ reason: "violation", error: { code: "LINK_NO_COMMON_VERSION" } });
  const [code] = await once(peer, "close");
  expect(code).toBe(4426);
});

it("says nothing before the dialler does, and then doesn't hold back", async () => {
  let messages = 0;
  peer.on("message", () => messages++);
  const opened = link.openStream(openHead(), { onData() {}, onEnd() {}, onReset() {} });
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(messages).toBe(0);
  hello();
  expect(await nextFrame("open")).toMatchObject({ stream: opened.id });
});

it("ignores what still comes for a stream that is over", async () => {
  hello();
  peer.send(open(1));
  peer.send(frame(frameTypes.reset, 1, Buffer.from([0, 1])));
  peer.send(data(1, 0, 60_000));
  peer.send(frame(frameTypes.end, 1, Buffer.alloc(0)));
  expect(await linkAnswers()).toBe(true);
  expect(received).toBe(0);
});

function hello(): void {
  peer.send(frame(frameTypes.settings, 0, Buffer.from(JSON.stringify({ versions: [1], streams: 100 }))));
}

/** A ping comes back. */
async function linkAnswers(): Promise<boolean> {
  const pong = nextFrame("pong");
  peer.send(frame(frameTypes.ping, 0, Buffer.alloc(8)));
  return (await pong).kind === "pong";
}

function nextFrame(kind: string): Promise<ReturnType<typeof readFrame>> {
  return new Promise((resolve) => {
    peer.on("message", function listen(message: Buffer) {
      const read = readFrame(message);
      if (read.kind !== kind) return;
      peer.off("message", listen);
      resolve(read);
    });
  });
}

function open(id: number): Buffer {
  return frame(frameTypes.open, id, Buffer.from(JSON.stringify({ ...openHead({ method: "POST" }), window: 65_536 })));
}

function data(id: number, offset: number, size: number): Buffer {
  const payload = Buffer.alloc(8 + size);
  payload.writeUInt32BE(offset, 4);
  return frame(frameTypes.data, id, payload);
}

function frame(type: number, stream: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header[0] = type;
  header.writeUInt32BE(stream, 4);
  return Buffer.concat([header, payload]);
}
