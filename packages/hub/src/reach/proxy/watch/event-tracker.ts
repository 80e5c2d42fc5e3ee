// Follows the body of a watch to know whether it stands between two events: only there can the hub add one of its own.
export type WatchFormat = "json" | "protobuf" | "cbor";

export interface EventTracker {
  /** Calls `onEnd` with the place in the chunk behind each event that ends there. */
  push(chunk: Uint8Array, onEnd?: (at: number) => void): void;
  /** False within an event, and for ever behind bytes that aren't of the format. */
  readonly isBetweenEvents: boolean;
}

/** The format of a watch whose events can be told apart; a packed body is none. */
export function watchFormatOf(headers: readonly string[]): WatchFormat | undefined {
  let format: WatchFormat | undefined;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const lower = headers[index]?.toLowerCase();
    const value = headers[index + 1]?.trim().toLowerCase() ?? "";
    if (lower === "content-type") format = formats.get(value.split(";")[0]?.trim() ?? "");
    if (lower === "content-encoding" && value !== "identity") return undefined;
  }
  return format;
}

export function createEventTracker(format: WatchFormat): EventTracker {
  switch (format) {
    case "json":
      return new LineTracker();
    case "protobuf":
      return new FrameTracker();
    case "cbor":
      return new CborTracker();
  }
}

/** An event of JSON ends with a newline, which can't stand within one. */
class LineTracker implements EventTracker {
  isBetweenEvents = true;

  push(chunk: Uint8Array, onEnd?: (at: number) => void): void {
    if (onEnd) for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) onEnd(at + 1);
    if (chunk.byteLength > 0) this.isBetweenEvents = chunk[chunk.byteLength - 1] === newline;
  }
}

/** An event of protobuf begins with its length in four bytes, the highest first. */
class FrameTracker implements EventTracker {
  #lengthBytes = 0;
  #length = 0;
  #left = 0;

  get isBetweenEvents(): boolean {
    return this.#lengthBytes === 0 && this.#left === 0;
  }

  push(chunk: Uint8Array, onEnd?: (at: number) => void): void {
    for (let at = 0; at < chunk.byteLength; ) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.byteLength - at);
        this.#left -= taken;
        at += taken;
      } else {
        this.#takeLength(chunk[at] ?? 0);
        at += 1;
      }
      if (this.isBetweenEvents) onEnd?.(at);
    }
  }

  #takeLength(byte: number): void {
    this.#length = this.#length * 256 + byte;
    this.#lengthBytes += 1;
    if (this.#lengthBytes < 4) return;
    this.#left = this.#length;
    this.#lengthBytes = 0;
    this.#length = 0;
  }
}

/** An event of CBOR is one item of RFC 8949; items follow one another (RFC 8742). */
class CborTracker implements EventTracker {
  /** Items left in each array or map that is open, the innermost last. */
  readonly #open: number[] = [];
  #major = 0;
  /** Bytes of the head's argument that haven't come. */
  #argumentBytes = 0;
  #argument = 0;
  /** Bytes of a string that haven't come. */
  #left = 0;
  #isWithinItem = false;
  #isBroken = false;

  get isBetweenEvents(): boolean {
    return !this.#isBroken && !this.#isWithinItem;
  }

  push(chunk: Uint8Array, onEnd?: (at: number) => void): void {
    for (let at = 0; at < chunk.byteLength && !this.#isBroken; ) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.byteLength - at);
        this.#left -= taken;
        at += taken;
        if (this.#left === 0) this.#endItem();
      } else {
        const byte = chunk[at] ?? 0;
        at += 1;
        if (this.#argumentBytes > 0) this.#takeArgument(byte);
        else this.#beginItem(byte);
      }
      if (this.isBetweenEvents) onEnd?.(at);
    }
  }

  #beginItem(byte: number): void {
    this.#isWithinItem = true;
    this.#major = byte >> 5;
    const info = byte & 0x1f;
    if (info < 24) this.#takeHead(info);
    else if (info < 28) {
      this.#argument = 0;
      this.#argumentBytes = 2 ** (info - 24);
    } else if (info < 31) this.#isBroken = true;
    else if (this.#major === simple) this.#endWithout();
    else if (this.#major >= byteString && this.#major <= map) this.#enter(withoutLength);
    else this.#isBroken = true;
  }

  #takeArgument(byte: number): void {
    this.#argument = this.#argument * 256 + byte;
    this.#argumentBytes -= 1;
    if (this.#argumentBytes === 0) this.#takeHead(this.#argument);
  }

  #takeHead(argument: number): void {
    switch (this.#major) {
      case byteString:
      case textString:
        this.#left = argument;
        if (argument === 0) this.#endItem();
        return;
      case array:
      case map: {
        const items = this.#major === map ? 2 * argument : argument;
        if (items === 0) this.#endItem();
        else this.#enter(items);
        return;
      }
      case tag:
        this.#enter(1);
        return;
      default:
        this.#endItem();
    }
  }

  #enter(items: number): void {
    this.#open.push(items);
    this.#isBroken ||= this.#open.length > deepest;
  }

  /** The break of an array, map or string without a length. */
  #endWithout(): void {
    if (this.#open.pop() === withoutLength) this.#endItem();
    else this.#isBroken = true;
  }

  #endItem(): void {
    for (;;) {
      const left = this.#open.pop();
      if (left === undefined) {
        this.#isWithinItem = false;
        return;
      }
      if (left === withoutLength || left > 1) {
        this.#open.push(left === withoutLength ? left : left - 1);
        return;
      }
    }
  }
}

const formats: ReadonlyMap<string, WatchFormat> = new Map([
  ["application/json", "json"],
  ["application/vnd.kubernetes.protobuf", "protobuf"],
  ["application/cbor-seq", "cbor"],
]);
const newline = 10;
/** CBOR's major types. */
const byteString = 2;
const textString = 3;
const array = 4;
const map = 5;
const tag = 6;
const simple = 7;
const withoutLength = -1;
const deepest = 1_000;
