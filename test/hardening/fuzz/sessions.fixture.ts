// Recorded sessions: what exec, attach and their like say on the wire, and the cast file that comes of it.
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseEvent, parseHead } from "../../../packages/cli/src/replay/parse-cast.ts";
import { Asciicast } from "../../../packages/hub/src/people/recordings/asciicast.ts";
import { createChannelDecoder } from "../../../packages/hub/src/people/recordings/channels.ts";
import {
  execStart,
  formatControl,
  toWebSocket,
} from "../../../packages/hub/src/people/recordings/recordings.fixture.ts";
import { createSpdyDecoder } from "../../../packages/hub/src/people/recordings/spdy.ts";
import type { Decoder, OnChannelData } from "../../../packages/hub/src/people/recordings/types.ts";
import { cutInto, hostileBytes, hostileText, pieceSizes } from "./hostile.ts";
import { type Fuzzer, hasCode, readOr, rule } from "./rule.ts";

const subprotocols = [undefined, "v4.channel.k8s.io", "v5.channel.k8s.io", "v4.base64.channel.k8s.io"];
const output = toWebSocket({ side: "cluster", channel: "stdout", bytes: Buffer.from("hello") }, { cuts: [2] });
const input = toWebSocket({ side: "client", channel: "stdin", bytes: Buffer.from("ls\r") });
const encoded = toWebSocket(
  { side: "client", channel: "resize", bytes: Buffer.from('{"Width":9,"Height":8}') },
  { base64: true },
);
const control = [1, 2, 3, 6, 8].map((type) => formatControl(type, Buffer.alloc(12, type)));
const dataFrame = Buffer.of(0, 0, 0, 1, 0, 0, 0, 2, 65, 66);
const side = fc.constantFrom("client", "cluster");

export const sessions: Fuzzer = {
  parser: "recordings",
  rules: [
    rule("a WebSocket's bytes are heard the same in pieces of any size, or refused by a code", {
      input: fc.tuple(
        hostileBytes([output.bytes, input.bytes, encoded.bytes]),
        pieceSizes,
        fc.constantFrom(...subprotocols),
        side,
      ),
      check([bytes, sizes, subprotocol, from]) {
        const create = (onData: OnChannelData): Decoder => createChannelDecoder(subprotocol, onData);
        assert.deepEqual(hear(create, from, cutInto(bytes, sizes)), hear(create, from, [bytes]));
      },
    }),
    rule("SPDY's bytes are heard the same in pieces of any size, or refused by a code", {
      input: fc.tuple(hostileBytes([...control, dataFrame]), pieceSizes, side),
      check([bytes, sizes, from]) {
        assert.deepEqual(hear(createSpdyDecoder, from, cutInto(bytes, sizes)), hear(createSpdyDecoder, from, [bytes]));
      },
    }),
    rule("a cast file shows what was shown, whatever bytes that was", {
      input: fc.tuple(
        fc.oneof(hostileBytes([output.bytes]), hostileText(["\u001b[1mé", "ü€"]).map(toBuffer)),
        pieceSizes,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      ),
      check([bytes, sizes, atMs]) {
        const cast = new Asciicast(execStart, { withInput: true });
        const text =
          cutInto(bytes, sizes)
            .map((piece) => cast.write("stdout", piece, atMs || 0))
            .join("") + cast.finish();
        const [head = "", ...events] = text.split("\n").slice(0, -1);
        assert.deepEqual(parseHead(head), { width: 80, height: 24 });
        const shown = events
          .map(parseEvent)
          .map((event) => event.data)
          .join("");
        // What is missing at the end of a character is said by nobody.
        assert.ok(bytes.toString("utf8").startsWith(shown));
      },
    }),
    rule("any line is an event of a cast file, or refused by a code", {
      input: hostileText(['{"version":2,"width":80,"height":24}', '[0.5, "o", "text"]', '[1, "r", "80x24"]']),
      check(line) {
        const head = readOr(() => parseHead(line));
        if (head) assert.ok([head.width, head.height].every((size) => !Number.isNaN(size)));
        const event = readOr(() => parseEvent(line));
        if (event)
          assert.deepEqual([typeof event.atMs, typeof event.kind, typeof event.data], ["number", "string", "string"]);
      },
    }),
  ],
};

/** What came on each channel. How much of it came before a refusal is nothing that anyone relies on. */
function hear(
  create: (onData: OnChannelData) => Decoder,
  from: "client" | "cluster",
  pieces: readonly Buffer[],
): unknown {
  const heard: Record<string, string> = {};
  try {
    const decoder = create((channel, bytes) => {
      heard[channel] = (heard[channel] ?? "") + Buffer.from(bytes).toString("latin1");
    });
    for (const piece of pieces) from === "client" ? decoder.fromClient(piece) : decoder.fromCluster(piece);
    return { heard };
  } catch (error) {
    if (!hasCode(error)) throw error;
    return "refused";
  }
}

function toBuffer(text: string): Buffer {
  return Buffer.from(text);
}
