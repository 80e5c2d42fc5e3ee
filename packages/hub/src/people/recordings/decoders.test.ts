import { constants, deflateSync } from "node:zlib";
import { isFairleadError } from "@fairlead/kernel";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createChannelDecoder } from "./channels.ts";
import { formatControl, formatFrame, type Said, type Sent, toSpdy, toWebSocket } from "./recordings.fixture.ts";
import { createSpdyDecoder } from "./spdy.ts";
import { spdyDictionary } from "./spdy-dictionary.ts";
import type { Channel, Decoder, OnChannelData } from "./types.ts";

const sides: Readonly<Record<Channel, Said["side"]>> = {
  stdin: "client",
  resize: "client",
  stdout: "cluster",
  stderr: "cluster",
  error: "cluster",
};
const saids = fc.array(
  fc.record({
    channel: fc.constantFrom<Channel>("stdin", "stdout", "stderr", "error", "resize"),
    bytes: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  }),
  { maxLength: 12 },
);

/** Returns what was heard per channel when the bytes came in pieces of these sizes. */
function hear(create: (onData: OnChannelData) => Decoder, sent: readonly Sent[], sizes: readonly number[]): object {
  const heard: Partial<Record<Channel, string>> = {};
  const decoder = create((channel, bytes) => {
    heard[channel] = (heard[channel] ?? "") + Buffer.from(bytes).toString("hex");
  });
  let turn = 0;
  for (const { side, bytes } of sent) {
    for (let at = 0; at < bytes.length; ) {
      const size = sizes[turn++ % sizes.length] ?? 1;
      // A copy of its own, which is gone afterwards: decoders keep no views of it.
      const piece = Buffer.from(bytes.subarray(at, at + size));
      if (side === "client") decoder.fromClient(piece);
      else decoder.fromCluster(piece);
      piece.fill(0xee);
      at += size;
    }
  }
  return heard;
}

function expected(said: readonly Said[]): object {
  const all: Partial<Record<Channel, string>> = {};
  for (const { channel, bytes } of said) {
    if (bytes.length > 0) all[channel] = (all[channel] ?? "") + bytes.toString("hex");
  }
  return all;
}

const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 8 });

describe("a session over WebSocket", () => {
  it.each([
    ["v4.channel.k8s.io", false],
    ["v5.channel.k8s.io", false],
    [undefined, false],
    ["base64.channel.k8s.io", true],
    ["v4.base64.channel.k8s.io", true],
  ])("%s is heard whole, whatever its fragments, its frames and the network's pieces", (subprotocol, base64) => {
    const cuts = fc.array(fc.nat(500), { maxLength: 4 });
    fc.assert(
      fc.property(saids, cuts, sizes, (some, at, pieces) => {
        const said = some.map((one) => ({ ...one, side: sides[one.channel] }));
        const sent = said.map((one) => toWebSocket(one, { base64, cuts: at }));
        expect(hear((onData) => createChannelDecoder(subprotocol, onData), sent, pieces)).toEqual(expected(said));
      }),
      { numRuns: 60 },
    );
  });

  it("is heard in frames of every length that has a form of its own", () => {
    const said = [0, 124, 125, 65_534, 65_535, 70_000].map(
      (length): Said => ({ side: "client", channel: "stdin", bytes: Buffer.alloc(length, "x") }),
    );
    const sent = said.map((one) => toWebSocket(one));
    expect(hear((onData) => createChannelDecoder("v5.channel.k8s.io", onData), sent, [4_001])).toEqual(expected(said));
  });

  it("goes on behind the close of one channel, which version 5 has", () => {
    const close: Sent = { side: "client", bytes: formatFrame(0x82, Buffer.of(255, 0), true) };
    const output: Said = { side: "cluster", channel: "stdout", bytes: Buffer.from("done") };
    const sent = [close, toWebSocket(output)];
    expect(hear((onData) => createChannelDecoder("v5.channel.k8s.io", onData), sent, [1])).toEqual(expected([output]));
  });

  it.each([
    ["compressed frames", Buffer.of(0xc2, 0x01, 0x01)],
    ["a fragment of nothing", Buffer.of(0x80, 0x01, 0x01)],
    ["a message within another", Buffer.of(0x02, 0x01, 0x01, 0x82, 0x01, 0x01)],
    ["an unknown channel", Buffer.of(0x82, 0x02, 0x09, 0x41)],
  ])("that has %s can't be recorded", (_, bytes) => {
    const decoder = createChannelDecoder("v4.channel.k8s.io", () => undefined);
    expect(() => decoder.fromCluster(bytes)).toThrow(expect.objectContaining({ code: "RECORDING_UNREADABLE" }));
  });

  it.each([
    ["characters of no base64", "1aGV*sbG8="],
    ["line ends in base64", "1aGVs\nbG8="],
    ["the alphabet of addresses", "1_-_-"],
    ["something behind the padding", "1aA==aGVs"],
    ["padding that no bytes have", "1a==="],
  ])("that has %s can't be recorded, since the other side reads it in another way", (_, text) => {
    const decoder = createChannelDecoder("v4.base64.channel.k8s.io", () => undefined);
    const push = (): void => decoder.fromCluster(formatFrame(0x81, Buffer.from(text), false));
    expect(push).toThrow(expect.objectContaining({ code: "RECORDING_UNREADABLE" }));
  });

  it("that has half a group of base64 can't be recorded past its message", () => {
    const decoder = createChannelDecoder("v4.base64.channel.k8s.io", () => undefined);
    decoder.fromCluster(formatFrame(0x81, Buffer.from("1aGVsb"), false));
    expect(() => decoder.fromCluster(formatFrame(0x81, Buffer.from("1aGVs"), false))).toThrow(
      expect.objectContaining({ code: "RECORDING_UNREADABLE" }),
    );
  });

  it("under an unknown subprotocol can't be recorded", () => {
    expect(() => createChannelDecoder("v9.channel.k8s.io", () => undefined)).toThrow(
      expect.objectContaining({ code: "RECORDING_UNREADABLE" }),
    );
  });
});

describe("a session over SPDY", () => {
  it("is heard whole, whatever the network's pieces", async () => {
    await fc.assert(
      fc.asyncProperty(saids, sizes, async (some, pieces) => {
        const said = some.map((one) => ({ ...one, side: sides[one.channel] }));
        expect(hear(createSpdyDecoder, await toSpdy(said), pieces)).toEqual(expected(said));
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ["data on a stream that nobody opened", "cluster", Buffer.of(0, 0, 0, 9, 0, 0, 0, 1, 65)],
    ["a stream that the cluster opened", "cluster", formatControl(1, Buffer.alloc(12))],
    ["headers that don't decompress", "client", formatControl(1, Buffer.alloc(20, 0x77))],
    ["a stream without a number", "client", formatControl(1, Buffer.alloc(0))],
    ["another version", "client", Buffer.of(0x80, 2, 0, 1, 0, 0, 0, 0)],
    ["a control frame too large", "client", Buffer.of(0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff)],
  ] as const)("that has %s can't be recorded", (_, side, bytes) => {
    const decoder = createSpdyDecoder(() => undefined);
    expect(() => (side === "client" ? decoder.fromClient(bytes) : decoder.fromCluster(bytes))).toThrow(
      expect.objectContaining({ code: "RECORDING_UNREADABLE" }),
    );
  });
});

it("header blocks without end, each of which costs a look at all before it, can't be recorded", () => {
  const decoder = createSpdyDecoder(() => undefined);
  // Little to send, much to look at.
  const packed = deflateSync(Buffer.concat([Buffer.alloc(8), Buffer.alloc(60_000)]), {
    dictionary: spdyDictionary,
    finishFlush: constants.Z_SYNC_FLUSH,
  });
  decoder.fromClient(formatControl(8, Buffer.concat([Buffer.alloc(4), packed])));
  const many = Buffer.concat(Array.from({ length: 5_000 }, () => formatControl(8, Buffer.alloc(4))));
  const startedMs = performance.now();
  expect(() => decoder.fromClient(many)).toThrow(expect.objectContaining({ code: "RECORDING_UNREADABLE" }));
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});

describe("any bytes", () => {
  it("are heard or refused with a code, and nothing else happens", () => {
    const decoders = [
      () => createSpdyDecoder(() => undefined),
      () => createChannelDecoder("v4.channel.k8s.io", () => undefined),
      () => createChannelDecoder("base64.channel.k8s.io", () => undefined),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...decoders), fc.array(fc.uint8Array({ maxLength: 60 })), (create, chunks) => {
        const decoder = create();
        try {
          for (const [index, chunk] of chunks.entries()) {
            if (index % 2 === 0) decoder.fromClient(chunk);
            else decoder.fromCluster(chunk);
          }
        } catch (error) {
          expect(isFairleadError(error) && error.code).toBe("RECORDING_UNREADABLE");
        }
      }),
    );
  });
});
