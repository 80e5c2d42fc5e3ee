// SPDY/3.1 as kubectl before 1.31 speaks it, and as newer ones fall back to. The client opens one stream per channel and
// names it in a header, so only the client's headers are read; of both sides' data, the stream's number is enough.
import { constants, inflateSync } from "node:zlib";
import { recordingsErrors } from "./errors.ts";
import { spdyDictionary } from "./spdy-dictionary.ts";
import type { Channel, Decoder, OnChannelData } from "./types.ts";

export function createSpdyDecoder(onData: OnChannelData): Decoder {
  const streams = new Map<number, Channel>();
  const inflate = createHeaderInflater();

  const onStreamData = (stream: number, bytes: Uint8Array): void => {
    const channel = streams.get(stream);
    if (channel === undefined)
      throw recordingsErrors.RECORDING_UNREADABLE({ reason: `data on stream ${stream}, which isn't open` });
    onData(channel, bytes);
  };

  const client = new FrameReader(onStreamData, (type, payload) => {
    const skipped = type === synStream ? 10 : type === synReply || type === headers ? 4 : undefined;
    if (skipped === undefined) return;
    if (payload.length < skipped)
      throw recordingsErrors.RECORDING_UNREADABLE({ reason: "a SPDY control frame that is too short" });
    // Every block is inflated, wanted or not: each is compressed with what went before.
    const block = inflate(payload.subarray(skipped));
    if (type === synStream) streams.set(payload.readUInt32BE(0) & 0x7fffffff, readChannel(block));
    if (streams.size > maxStreams)
      throw recordingsErrors.RECORDING_UNREADABLE({ reason: "more streams than channels" });
  });
  const cluster = new FrameReader(onStreamData, (type) => {
    if (type === synStream) throw recordingsErrors.RECORDING_UNREADABLE({ reason: "a stream that the cluster opened" });
  });
  return { fromClient: (chunk) => client.push(chunk), fromCluster: (chunk) => cluster.push(chunk) };
}

class FrameReader {
  readonly #onData: (stream: number, bytes: Uint8Array) => void;
  readonly #onControl: (type: number, payload: Buffer) => void;
  readonly #head: Buffer = Buffer.alloc(8);
  #headLength = 0;
  #leftBytes = 0;
  #stream: number | undefined;
  #control: Buffer[] = [];

  constructor(onData: (stream: number, bytes: Uint8Array) => void, onControl: (type: number, payload: Buffer) => void) {
    this.#onData = onData;
    this.#onControl = onControl;
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#headLength < 8) {
        this.#head[this.#headLength] = chunk[at] ?? 0;
        this.#headLength += 1;
        at += 1;
        if (this.#headLength === 8) this.#beginFrame();
        continue;
      }
      const end = Math.min(chunk.length, at + this.#leftBytes);
      const bytes = chunk.subarray(at, end);
      at = end;
      this.#leftBytes -= bytes.length;
      if (this.#stream !== undefined) this.#onData(this.#stream, bytes);
      // A copy: the chunk is the proxy's.
      else this.#control.push(Buffer.from(bytes));
      if (this.#leftBytes === 0) this.#endFrame();
    }
  }

  #beginFrame(): void {
    const first = this.#head.readUInt32BE(0);
    this.#leftBytes = this.#head.readUIntBE(5, 3);
    const isControl = first >= 0x80000000;
    if (isControl && ((first >>> 16) & 0x7fff) !== 3)
      throw recordingsErrors.RECORDING_UNREADABLE({ reason: "an unsupported version of SPDY" });
    if (isControl && this.#leftBytes > maxControlBytes)
      throw recordingsErrors.RECORDING_UNREADABLE({ reason: "a SPDY control frame that is too large" });
    this.#stream = isControl ? undefined : first;
    if (this.#leftBytes === 0) this.#endFrame();
  }

  #endFrame(): void {
    if (this.#stream === undefined) {
      this.#onControl(this.#head.readUInt16BE(2), Buffer.concat(this.#control));
      this.#control = [];
    }
    this.#headLength = 0;
  }
}

/** All header blocks of one side are one zlib stream. There are few and they are small, so each time it begins anew. */
function createHeaderInflater(): (block: Uint8Array) => Buffer {
  let packed = Buffer.alloc(0);
  let knownBytes = 0;
  let blocks = 0;
  return (block) => {
    // Each costs a look at all before it, and the hub waits meanwhile.
    blocks += 1;
    if (blocks > maxHeaderBlocks)
      throw recordingsErrors.RECORDING_UNREADABLE({ reason: "more SPDY headers than a session has" });
    packed = Buffer.concat([packed, block]);
    if (packed.length > maxHeaderBytes)
      throw recordingsErrors.RECORDING_UNREADABLE({ reason: "SPDY headers that are too large" });
    let all: Buffer;
    try {
      all = inflateSync(packed, {
        dictionary: spdyDictionary,
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: maxHeaderBytes,
      });
    } catch {
      throw recordingsErrors.RECORDING_UNREADABLE({ reason: "SPDY headers that don't decompress" });
    }
    const plain = all.subarray(knownBytes);
    knownBytes = all.length;
    return plain;
  };
}

/** The value of `streamtype` in a block of counted names and values. */
function readChannel(block: Buffer): Channel {
  try {
    let at = 4;
    for (let left = block.readUInt32BE(0); left > 0; left -= 1) {
      const name = readText();
      const value = readText();
      if (name.toLowerCase() === "streamtype" && channels.has(value)) return value as Channel;
    }
    function readText(): string {
      const length = block.readUInt32BE(at);
      if (at + 4 + length > block.length) throw new RangeError("cut short");
      at += 4 + length;
      return block.toString("latin1", at - length, at);
    }
  } catch {
    // Said below.
  }
  throw recordingsErrors.RECORDING_UNREADABLE({ reason: "a SPDY stream of an unknown type" });
}

const channels: ReadonlySet<string> = new Set<Channel>(["stdin", "stdout", "stderr", "error", "resize"]);
const synStream = 1;
const synReply = 2;
const headers = 8;
const maxStreams = 16;
const maxControlBytes = 64 * 1024;
/** Packed and unpacked. */
const maxHeaderBytes = 64 * 1024;
const maxHeaderBlocks = 32;
