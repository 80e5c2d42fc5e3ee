// What an agent and a runner say to each other: a channel (1 byte), a length (4 bytes, big endian) and the payload.
export const channels = { control: 0, stdin: 1, stdout: 2, stderr: 3 } as const;

/** In as many frames as it takes. An empty one ends the channel. */
export function* toFrames(channel: number, payload: Buffer): Generator<Buffer> {
  for (let at = 0; at === 0 || at < payload.length; at += mostPayloadBytes) {
    const part = payload.subarray(at, at + mostPayloadBytes);
    const head = Buffer.alloc(headBytes);
    head.writeUInt8(channel, 0);
    head.writeUInt32BE(part.length, 1);
    yield head;
    yield part;
  }
}

/** Cuts bytes as they come into frames. Throws for a frame that is longer than any may be. */
export class FrameReader {
  readonly #onFrame: (channel: number, payload: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(onFrame: (channel: number, payload: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (bytes.length >= headBytes) {
      const length = bytes.readUInt32BE(1);
      if (length > mostPayloadBytes) throw new Error("A frame of the runner is too long.");
      if (bytes.length < headBytes + length) break;
      this.#onFrame(bytes.readUInt8(0), bytes.subarray(headBytes, headBytes + length));
      bytes = bytes.subarray(headBytes + length);
    }
    this.#rest = bytes;
  }
}

const headBytes = 5;
const mostPayloadBytes = 64 * 1024;
