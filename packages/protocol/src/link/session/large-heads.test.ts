// Heads that don't fit into one frame.
import { expect, it } from "vitest";
import type { LinkStream, StreamHandlers } from "../stream/index.ts";
import { formatOpen, formatSettings, frameTypes, protocolVersions, resetCodes } from "../wire/index.ts";
import { createLinkBudget } from "./budget.ts";
import { openHead, SessionPair, type Side } from "./session-pair.fixture.ts";

const large = ["Authorization", "x".repeat(900_000), "Z", "\u00e9".repeat(1_000)];

it("a request and an answer with 900 KiB of headers arrive as they were, with their bodies", () => {
  const { pair, atAgent } = openPair();
  const heard: string[] = [];
  const stream = pair.hub.session.openStream(openHead({ headers: large }), record(heard));
  stream.write(Buffer.from("ping"));
  stream.end();
  pair.settle();
  expect(atAgent[0]?.stream.open.headers).toEqual(large);
  atAgent[0]?.stream.respond({ status: 200, headers: large });
  atAgent[0]?.stream.write(Buffer.from("pong"));
  atAgent[0]?.stream.end();
  pair.settle();
  expect(atAgent[0]?.heard).toEqual(["data ping", "end"]);
  expect(heard).toEqual([`head 200 ${JSON.stringify(large).length}`, "data pong", "end"]);
  expect(pair.hub.session.streamCount + pair.agent.session.streamCount).toBe(0);
});

it("a peer that doesn't say headBytes is sent none of it, and the caller is told", () => {
  const { pair } = openPair();
  pair.hub.session.receive(settingsOf({ versions: protocolVersions, streams: 100, resume: false, lanes: 1 }));
  const open = () => pair.hub.session.openStream(openHead({ headers: large }), record([]));
  expect(open).toThrow(expect.objectContaining({ code: "LINK_HEAD_TOO_LARGE", httpStatus: 431 }));
  pair.hub.session.openStream(openHead({ headers: ["X", "x".repeat(190_000)] }), record([]));
  pair.settle();
  expect(pair.agent.session.streamCount).toBe(1);
});

it("a head of more than 1.5 MiB is refused before anything is sent", () => {
  const { pair } = openPair();
  const open = () => pair.hub.session.openStream(openHead({ headers: ["X", "x".repeat(1_600_000)] }), record([]));
  expect(open).toThrow(expect.objectContaining({ code: "LINK_HEAD_TOO_LARGE" }));
  expect(pair.hub.carrier.frames).toEqual([]);
});

it("pings, other requests and data pass between the parts of a head", () => {
  const { pair, atAgent } = openPair();
  const busy = pair.hub.session.openStream(openHead({ path: "/busy" }), record([]));
  pair.settle();
  pair.hub.session.openStream(openHead({ path: "/large", headers: large }), record([]));
  pair.hub.session.openStream(openHead({ path: "/large-too", headers: large }), record([]));
  pair.hub.session.writable();
  busy.write(Buffer.alloc(16_000));
  pair.hub.session.openStream(openHead({ path: "/small" }), record([]));
  void pair.hub.session.ping().catch(() => undefined);
  pair.hub.session.writable();
  // The carrier's high water is all that can be ahead of a ping.
  const types = pair.hub.carrier.frames.map((frame) => frame[0]);
  expect(types.filter((type) => type === frameTypes.part)).toHaveLength(1);
  expect(types).toContain(frameTypes.ping);
  pair.settle();
  expect(atAgent.map(({ stream }) => stream.open.path)).toEqual(["/busy", "/small", "/large", "/large-too"]);
  expect(atAgent[0]?.heard).toEqual(["data 16000 bytes"]);
});

it("a head goes on where a cut stopped it", () => {
  const { pair, atAgent } = openPair({ resuming: true });
  pair.hub.session.openStream(openHead({ headers: large }), record([]));
  pair.hub.session.writable();
  pair.deliver(pair.hub);
  pair.hub.session.writable();
  pair.cut();
  expect(pair.reconnect()).toBe(true);
  pair.settle();
  expect(atAgent[0]?.stream.open.headers).toEqual(large);
});

it.each(["the opener", "the deadline"])(
  "a request that is given up by %s in the middle of its head leaves nothing",
  (who) => {
    const agentBudget = createLinkBudget({ totalBytes: 10_000_000 });
    const { pair, atAgent } = openPair({ agentBudget });
    const stream = pair.hub.session.openStream(openHead({ headers: large, deadlineMs: 5_000 }), record([]));
    move(pair, pair.hub, 3);
    expect(agentBudget.grantedBytes).toBe(3 * 65_536);
    if (who === "the opener") stream.reset(resetCodes.cancelled);
    else for (let ms = 0; ms < 6_000; ms += 250) pair.clock.move(250);
    pair.hub.session.openStream(openHead({ path: "/next", headers: large }), record([]));
    pair.settle();
    expect(atAgent.map((one) => one.stream.open.path)).toEqual(["/next"]);
    pair.hub.session.close("done");
    pair.agent.session.close("done");
    expect(agentBudget.grantedBytes).toBe(0);
  },
);

it("an answer that nobody waits for any more is dropped in the middle of its head", () => {
  const hubBudget = createLinkBudget({ totalBytes: 10_000_000 });
  const { pair, atAgent } = openPair({ hubBudget });
  const heard: string[] = [];
  const first = pair.hub.session.openStream(openHead(), record([]));
  pair.hub.session.openStream(openHead(), record(heard));
  pair.settle();
  const idleBytes = hubBudget.grantedBytes / 2;
  for (const { stream } of atAgent) stream.respond({ status: 200, headers: large });
  move(pair, pair.agent, 2);
  first.reset(resetCodes.cancelled);
  expect(hubBudget.grantedBytes).toBe(idleBytes);
  pair.settle();
  expect(heard).toEqual([`head 200 ${JSON.stringify(large).length}`]);
});

it("large heads take no more memory than there is, and leave first windows of others to them", () => {
  const agentBudget = createLinkBudget({ totalBytes: 4_000_000 });
  const { pair, atAgent } = openPair({ agentBudget });
  const heard = Array.from({ length: 4 }, (): string[] => []);
  for (const each of heard) pair.hub.session.openStream(openHead({ headers: large }), record(each));
  pair.settle();
  expect(heard).toEqual([[], [], [], ["reset 12"]]);
  expect(agentBudget.grantedBytes).toBeLessThan(3_100_000);
  pair.hub.session.openStream(openHead({ path: "/small" }), record([]));
  pair.settle();
  expect(atAgent.at(-1)?.stream.open.path).toBe("/small");
  atAgent[0]?.stream.reset(resetCodes.cancelled);
  pair.hub.session.openStream(openHead({ path: "/again", headers: large }), record([]));
  pair.settle();
  expect(atAgent.at(-1)?.stream.open.path).toBe("/again");
});

it("requests whose heads aren't whole when the peer goes away are for another link", () => {
  const { pair, atAgent } = openPair();
  const heard: string[] = [];
  pair.hub.session.openStream(openHead({ headers: large }), record(heard));
  move(pair, pair.hub, 2);
  void pair.agent.session.goAway({ reason: "upgrade", drainMs: 30_000 });
  pair.settle();
  expect(heard).toEqual([`reset ${resetCodes.goingAway}`]);
  expect(atAgent).toEqual([]);
});

it.each([
  ["a part among those of another head", [part(2), part(4)], "LINK_FRAME_INVALID"],
  ["a small part", [part(2, 100)], "LINK_FRAME_INVALID"],
  ["a part over 64 KiB", [part(2, 65_537)], "LINK_FRAME_TOO_LARGE"],
  ["a part without a stream", [part(0)], "LINK_FRAME_INVALID"],
  ["a part of an answer to nothing", [part(1)], "LINK_UNKNOWN_STREAM"],
  ["a part for a stream that is over", [open(2), reset(2), part(2)], "LINK_UNKNOWN_STREAM"],
])("%s ends the link", (_, frames, code) => {
  const { pair } = openPair();
  for (const each of frames) pair.agent.session.receive(each);
  expect(pair.agent.carrier.closed).toEqual({ code: 4400, text: code });
});

it("a head that grows beyond the bound costs its stream, and what still comes of it is ignored", () => {
  const agentBudget = createLinkBudget({ totalBytes: 10_000_000 });
  const { pair, atAgent } = openPair({ agentBudget });
  for (let at = 0; at < 30; at++) pair.agent.session.receive(part(2));
  pair.agent.session.receive(open(2));
  pair.agent.session.receive(open(4));
  expect(pair.agent.carrier.closed).toBeUndefined();
  expect(pair.agent.carrier.frames.filter((frame) => frame[0] === frameTypes.reset)).toHaveLength(1);
  expect(atAgent.map(({ stream }) => stream.id)).toEqual([4]);
  pair.agent.session.close("done");
  expect(agentBudget.grantedBytes).toBe(0);
});

it("parts that are no JSON together cost their stream alone", () => {
  const { pair, atAgent } = openPair();
  for (const each of [part(2), open(2), open(4)]) pair.agent.session.receive(each);
  expect(pair.agent.carrier.closed).toBeUndefined();
  expect(atAgent.map(({ stream }) => stream.id)).toEqual([4]);
});

interface AtAgent {
  readonly stream: LinkStream;
  readonly heard: string[];
}

function openPair(options: Omit<ConstructorParameters<typeof SessionPair>[0] & object, "acceptOnAgent"> = {}): {
  readonly pair: SessionPair;
  readonly atAgent: AtAgent[];
} {
  const atAgent: AtAgent[] = [];
  const pair = new SessionPair({
    ...options,
    acceptOnAgent(stream) {
      const heard: string[] = [];
      atAgent.push({ stream, heard });
      return record(heard, () => stream);
    },
  });
  pair.settle();
  return { pair, atAgent };
}

function record(heard: string[], stream?: () => LinkStream): StreamHandlers {
  return {
    onHead: ({ status, headers }) => void heard.push(`head ${status} ${JSON.stringify(headers).length}`),
    onData(bytes) {
      heard.push(`data ${bytes.byteLength > 100 ? `${bytes.byteLength} bytes` : Buffer.from(bytes).toString()}`);
      stream?.().consumed(bytes.byteLength);
    },
    onEnd: () => void heard.push("end"),
    onReset: (_, code) => void heard.push(`reset ${code}`),
  };
}

/** Sends and delivers so many frames. */
function move(pair: SessionPair, from: Side, frames: number): void {
  for (let at = 0; at < frames; at++) {
    from.session.writable();
    pair.deliver(from);
  }
}

function settingsOf(settings: object): Buffer {
  return frame(frameTypes.settings, 0, Buffer.from(formatSettings(settings as Parameters<typeof formatSettings>[0])));
}

function part(stream: number, sizeBytes = 65_536): Buffer {
  return frame(frameTypes.part, stream, Buffer.alloc(sizeBytes, "x"));
}

function open(stream: number): Buffer {
  return frame(frameTypes.open, stream, Buffer.from(formatOpen(openHead(), 0)));
}

function reset(stream: number): Buffer {
  return frame(frameTypes.reset, stream, Buffer.from([0, 1]));
}

function frame(type: number, stream: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header[0] = type;
  header.writeUInt32BE(stream, 4);
  return Buffer.concat([header, payload]);
}
