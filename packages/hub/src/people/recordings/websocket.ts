// WebSocket frames (RFC 6455) as they come, in pieces of any size. Nothing is gathered but frame heads.
import { recordingsErrors } from "./errors.ts";

export interface MessagePiece {
  readonly bytes: Uint8Array;
  /** First of its message. */
  readonly isFirst: boolean;
}

export class WebSocketReader {
  readonly #onPiece: (piece: MessagePiece) => void;
  readonly #head: Uint8Array = new Uint8Array(maxHeadBytes);
  #headLength = 0;
  #leftBytes = 0;
  #isInPayload = false;
  #isControl = false;
  #isMessageStart = false;
  #isInMessage = false;
  #mask: Uint8Array | undefined;
  #maskAt = 0;

  constructor(onPiece: (piece: MessagePiece) => void) {
    this.#onPiece = onPiece;
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#isInPayload) {
        const end = Math.min(chunk.length, at + this.#leftBytes);
        this.#takePayload(chunk.subarray(at, end));
        at = end;
        continue;
      }
      this.#head[this.#headLength] = chunk[at] ?? 0;
      this.#headLength += 1;
      at += 1;
      if (this.#headLength >= 2 && this.#headLength === headBytes(this.#head)) this.#beginFrame();
    }
  }

  #beginFrame(): void {
    const [first = 0, second = 0] = this.#head;
    const opcode = first & 0x0f;
    // They would mean an extension, such as compression, and Kubernetes speaks none.
    if ((first & 0x70) !== 0)
      throw recordingsErrors.RECORDING_UNREADABLE({ reason: "WebSocket frames with reserved bits" });
    this.#isControl = opcode >= 8;
    if (!this.#isControl) {
      const isContinuation = opcode === 0;
      if (isContinuation !== this.#isInMessage)
        throw recordingsErrors.RECORDING_UNREADABLE({ reason: "WebSocket fragments out of order" });
      this.#isMessageStart ||= !isContinuation;
      this.#isInMessage = (first & 0x80) === 0;
    }
    const view = new DataView(this.#head.buffer);
    const short = second & 0x7f;
    this.#leftBytes = short === 126 ? view.getUint16(2) : short === 127 ? Number(view.getBigUint64(2)) : short;
    this.#mask = (second & 0x80) === 0 ? undefined : this.#head.slice(this.#headLength - 4, this.#headLength);
    this.#maskAt = 0;
    this.#headLength = 0;
    this.#isInPayload = this.#leftBytes > 0;
  }

  #takePayload(bytes: Uint8Array): void {
    this.#leftBytes -= bytes.length;
    if (this.#leftBytes === 0) this.#isInPayload = false;
    if (this.#isControl) return;
    const isFirst = this.#isMessageStart;
    this.#isMessageStart = false;
    this.#onPiece({ bytes: this.#unmask(bytes), isFirst });
  }

  #unmask(bytes: Uint8Array): Uint8Array {
    const mask = this.#mask;
    if (!mask) return bytes;
    const plain = new Uint8Array(bytes.length);
    for (let index = 0; index < bytes.length; index += 1) {
      plain[index] = (bytes[index] ?? 0) ^ (mask[(this.#maskAt + index) & 3] ?? 0);
    }
    this.#maskAt = (this.#maskAt + bytes.length) & 3;
    return plain;
  }
}

/** How long the head is that begins with these two bytes. */
function headBytes(head: Uint8Array): number {
  const second = head[1] ?? 0;
  const short = second & 0x7f;
  return 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + ((second & 0x80) === 0 ? 0 : 4);
}

const maxHeadBytes = 14;
