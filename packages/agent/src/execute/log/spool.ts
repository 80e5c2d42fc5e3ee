// A command's log on its way to the hub: files that only their owner reads, in which masked lines wait until the hub has
// them. Offsets are those of the whole log; the files may begin later, where another agent wrote the first part, or where
// the hub has what was before.
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { reasonOf } from "@fairlead/kernel";
import { MaskedBytes } from "../../redact/index.ts";
import { cutMark, endOf, findSegments, markCut, type Segment, segmentPath } from "./segments.ts";
import type { SpoolRoom } from "./spool-room.ts";

export interface SpoolOptions {
  readonly folder: string;
  readonly id: string;
  /** The bytes of the log that the hub has. */
  readonly from: number;
  /** The most bytes of the whole log. */
  readonly mostBytes: number;
  /** The room that all logs share. */
  readonly room: Pick<SpoolRoom, "use">;
  readonly segmentBytes?: number | undefined;
}

export class LogSpool implements Disposable {
  readonly #options: SpoolOptions;
  readonly #fullMark: Buffer;
  readonly #segmentBytes: number;
  #segments: Segment[] = [];
  /** The descriptor of the last segment's file. */
  #file: number | undefined;
  #base: number;
  #fileEnd: number;
  /** The hub has all before it. Only what is behind it counts for the room: that alone grows when a hub is slow. */
  #released: number;
  /** The last line of a log that the disk has no room for. */
  #tail: Buffer = Buffer.alloc(0);
  #isFull = false;

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#fullMark = Buffer.from(fullMark(options.mostBytes));
    this.#segmentBytes = options.segmentBytes ?? defaultSegmentBytes;
    this.#base = options.from;
    this.#fileEnd = options.from;
    this.#released = options.from;
    try {
      this.#open(options);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** The offset of the first byte that is here. */
  get base(): number {
    return this.#base;
  }

  /** The offset behind the last byte. */
  get end(): number {
    return this.#fileEnd + this.#tail.length;
  }

  append(bytes: MaskedBytes): void {
    if (this.#isFull || bytes.length === 0) return;
    const room = this.#options.mostBytes - this.#fullMark.length - this.#fileEnd;
    this.#isFull = bytes.length > room;
    try {
      this.#write(this.#isFull ? Buffer.concat([bytes.subarray(0, Math.max(0, room)), this.#fullMark]) : bytes);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Bytes that were masked when they were appended, and the spool's own marks. */
  read(offset: number, most: number): MaskedBytes {
    return MaskedBytes.kept(this.#read(offset, most));
  }

  #read(offset: number, most: number): Buffer {
    if (offset >= this.#fileEnd) return this.#tail.subarray(offset - this.#fileEnd, offset - this.#fileEnd + most);
    const segment = this.#segments.findLast(({ base }) => base <= offset);
    if (segment === undefined) throw new Error("this part of the log isn't here any more");
    const file = openSync(segment.path, "r");
    try {
      const buffer = Buffer.allocUnsafe(Math.min(most, endOf(segment) - offset));
      return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, offset - segment.base));
    } finally {
      closeSync(file);
    }
  }

  /** The hub has all before the offset. The bytes just before it are kept for a hub that loses its last seconds. */
  release(until: number): void {
    if (this.#file === undefined) return;
    this.#options.room.use(this.#released - until);
    this.#released = until;
    while (this.#segments.length > 1) {
      const [first, next] = this.#segments as [Segment, Segment];
      if (endOf(first) > until - this.#segmentBytes) return;
      this.#segments.shift();
      rmSync(first.path, { force: true });
      this.#base = next.base;
    }
  }

  /** With the files. Later lines are left out. */
  remove(): void {
    this[Symbol.dispose]();
    this.#isFull = true;
    for (const { path } of this.#segments) rmSync(path, { force: true });
  }

  [Symbol.dispose](): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
    this.#options.room.use(this.#released - this.#fileEnd);
  }

  #open(options: SpoolOptions): void {
    this.#segments = findSegments(options);
    const [first] = this.#segments;
    const last = this.#segments.at(-1);
    if (first && last) {
      this.#base = first.base;
      this.#fileEnd = endOf(last);
      this.#file = openSync(last.path, "a", 0o600);
    } else this.#beginSegment();
    this.#isFull = this.#fileEnd >= options.mostBytes;
    if (last?.cut !== undefined) this.#end(last.cut);
    options.room.use(this.#fileEnd - this.#released);
  }

  #beginSegment(): void {
    const { folder, id } = this.#options;
    const path = segmentPath(folder, id, this.#fileEnd);
    const file = openSync(path, "w", 0o600);
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = file;
    this.#segments.push({ path, base: this.#fileEnd, sizeBytes: 0 });
  }

  /** A command is no less done when its log can't be kept. */
  #giveUp(error: unknown): void {
    const code = reasonOf(error);
    const reason = /^[A-Z0-9_]+$/.test(code) ? code : "EIO";
    const last = this.#file === undefined ? undefined : this.#segments.pop();
    // Should this process end before the hub has the line, the next claim finds it.
    if (last !== undefined) this.#segments.push(markCut(last, reason));
    this.#end(reason);
  }

  #end(reason: string): void {
    this.#isFull = true;
    this.#tail = Buffer.from(cutMark(reason));
  }

  #write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      if (this.#file === undefined) throw new Error("the log is closed");
      if ((this.#segments.at(-1)?.sizeBytes ?? 0) >= this.#segmentBytes) this.#beginSegment();
      const written = writeSync(this.#file, bytes, done);
      done += written;
      this.#fileEnd += written;
      this.#options.room.use(written);
      const segment = this.#segments.at(-1);
      if (segment) segment.sizeBytes += written;
    }
  }
}

const fullMark = (mostBytes: number): string =>
  `\n[fairlead] The log is full: what came after its first ${Math.round(mostBytes / 1024 / 1024)} MiB isn't kept.\n`;
const defaultSegmentBytes = 16 * 1024 * 1024;
