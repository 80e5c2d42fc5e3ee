// Writing frames. Heads are built in one scratch buffer that the carrier copies from; payloads pass by reference.
import type { Carrier } from "./carrier.ts";
import { wireErrors } from "./errors.ts";
import { dataHeaderBytes, frameFlags, frameTypes, headerBytes, maxHeadBytes, maxTextBytes } from "./frame-types.ts";

export class FrameWriter {
  readonly #carrier: Pick<Carrier, "send">;
  sentFrames = 0;
  sentBytes = 0;

  constructor(carrier: Pick<Carrier, "send">) {
    this.#carrier = carrier;
  }

  data(stream: number, fin: boolean, offset: number, chunks: readonly Uint8Array[], sizeBytes: number): void {
    writeHeader(frameTypes.data, fin ? frameFlags.fin : 0, stream);
    scratch.writeUInt32BE(Math.floor(offset / 4_294_967_296), 8);
    scratch.writeUInt32BE(offset >>> 0, 12);
    this.#send(dataHeaderBytes, chunks, sizeBytes);
  }

  /** OPEN, HEAD, TRAILERS, SETTINGS, GOAWAY. Throws when the text is over the bound for heads. */
  json(type: number, stream: number, fin: boolean, text: string): void {
    checkHeadSize(text);
    writeHeader(type, fin ? frameFlags.fin : 0, stream);
    this.#send(headerBytes + scratch.write(text, headerBytes, "utf8"));
  }

  /** The last piece of an OPEN or HEAD whose other pieces went as parts. */
  tail(type: number, stream: number, fin: boolean, bytes: Uint8Array): void {
    writeHeader(type, fin ? frameFlags.fin : 0, stream);
    this.#send(headerBytes, [bytes], bytes.byteLength);
  }

  part(stream: number, bytes: Uint8Array): void {
    writeHeader(frameTypes.part, 0, stream);
    this.#send(headerBytes, [bytes], bytes.byteLength);
  }

  end(stream: number): void {
    writeHeader(frameTypes.end, 0, stream);
    this.#send(headerBytes);
  }

  reset(stream: number, code: number, text: string): void {
    writeHeader(frameTypes.reset, 0, stream);
    scratch.writeUInt16BE(code, headerBytes);
    this.#send(headerBytes + 2 + scratch.write(text, headerBytes + 2, maxTextBytes, "utf8"));
  }

  window(stream: number, addBytes: number): void {
    writeHeader(frameTypes.window, 0, stream);
    scratch.writeUInt32BE(addBytes, headerBytes);
    this.#send(headerBytes + 4);
  }

  /** The peer learns our time from it. */
  ping(token: number, nowMs: number): void {
    writeHeader(frameTypes.ping, 0, 0);
    scratch.writeUInt32BE(Math.floor(nowMs / 1_000) % 2 ** 32, headerBytes);
    scratch.writeUInt32BE(token, headerBytes + 4);
    this.#send(headerBytes + 8);
  }

  pong(token: Uint8Array): void {
    writeHeader(frameTypes.pong, 0, 0);
    scratch.set(token, headerBytes);
    this.#send(headerBytes + 8);
  }

  #send(headBytes: number, payload?: readonly Uint8Array[], payloadBytes = 0): void {
    this.sentFrames++;
    this.sentBytes += headBytes + payloadBytes;
    this.#carrier.send(scratch, headBytes, payload, payloadBytes);
  }
}

/** Throws when the text is over what the peer takes. True when it takes more than one frame. */
export function checkHeadSize(text: string, limitBytes: number = maxHeadBytes): boolean {
  // Three bytes per UTF-16 unit is the worst that UTF-8 does; only near the bound is it worth counting.
  if (text.length * 3 <= maxHeadBytes) return false;
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > limitBytes) throw wireErrors.LINK_HEAD_TOO_LARGE({ sizeBytes, limitBytes });
  return sizeBytes > maxHeadBytes;
}

function writeHeader(type: number, flags: number, stream: number): void {
  scratch[0] = type;
  scratch[1] = flags;
  scratch[2] = 0;
  scratch[3] = 0;
  scratch.writeUInt32BE(stream, 4);
}

// Shared by all links of the process: it is copied from before anything else can run.
const scratch = Buffer.allocUnsafeSlow(headerBytes + maxHeadBytes);
