// A command's log on its way to the hub: a file that only its owner reads, in which masked lines wait until the hub has
// them. Offsets are those of the whole log; the file may begin later, where another agent wrote the first part.
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "@fairlead/kernel";

export interface SpoolOptions {
  readonly folder: string;
  readonly id: string;
  /** The bytes of the log that the hub has. */
  readonly from: number;
  readonly mostBytes?: number | undefined;
}

export class LogSpool implements Disposable {
  #path = "";
  #file: number | undefined;
  readonly #mostBytes: number;
  #base: number;
  #fileEnd: number;
  /** The last line of a log that the disk has no room for. */
  #tail: Buffer = Buffer.alloc(0);
  #isFull = false;

  constructor(options: SpoolOptions) {
    this.#base = options.from;
    this.#fileEnd = options.from;
    this.#mostBytes = options.mostBytes ?? defaultMostBytes;
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

  append(bytes: Uint8Array): void {
    if (this.#isFull || bytes.length === 0) return;
    const room = this.#mostBytes - fullMark.length - this.#fileEnd;
    this.#isFull = bytes.length > room;
    try {
      this.#write(this.#isFull ? Buffer.concat([bytes.subarray(0, Math.max(0, room)), fullMark]) : bytes);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  async read(offset: number, most: number): Promise<Buffer> {
    if (offset >= this.#fileEnd) return this.#tail.subarray(offset - this.#fileEnd, offset - this.#fileEnd + most);
    await using file = await open(this.#path, "r");
    const buffer = Buffer.alloc(Math.min(most, this.#fileEnd - offset));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset - this.#base);
    return buffer.subarray(0, bytesRead);
  }

  /** With the file. */
  remove(): void {
    this[Symbol.dispose]();
    if (this.#path !== "") rmSync(this.#path, { force: true });
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open({ folder, id, from }: SpoolOptions): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const kept = findKept(folder, id, from);
    this.#base = kept?.base ?? from;
    this.#path = join(folder, `${id}.${this.#base}.log`);
    this.#file = openSync(this.#path, "a+", 0o600);
    // A file of that name that can't be gone on with is begun anew.
    if (kept === undefined) ftruncateSync(this.#file);
    this.#fileEnd = this.#base + fstatSync(this.#file).size;
    this.#isFull = this.#fileEnd >= this.#mostBytes;
  }

  /** A command is no less done when its log can't be kept. */
  #giveUp(error: unknown): void {
    this.#isFull = true;
    this.#tail = Buffer.from(`\n[the log ends here: its disk takes no more (${reasonOf(error)})]\n`);
  }

  #write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      if (this.#file === undefined) throw new Error("the log is closed");
      const written = writeSync(this.#file, bytes, done);
      done += written;
      this.#fileEnd += written;
    }
  }
}

/** Removes what is left of logs that nobody goes on with. */
export function removeSpools(folder: string, isKept: (id: string) => boolean): void {
  for (const { name, id } of listSpools(folder)) if (!isKept(id)) rmSync(join(folder, name), { force: true });
}

/** A file of a run that died in this very pod: what the hub lacks is in it. Others of the same command are removed. */
function findKept(folder: string, id: string, from: number): { readonly base: number } | undefined {
  let kept: { readonly base: number } | undefined;
  for (const file of listSpools(folder)) {
    if (file.id !== id) continue;
    const path = join(folder, file.name);
    const handle = openSync(path, "r");
    const { size } = fstatSync(handle);
    closeSync(handle);
    if (kept === undefined && file.base <= from && from <= file.base + size) kept = { base: file.base };
    else rmSync(path, { force: true });
  }
  return kept;
}

function listSpools(folder: string): { readonly name: string; readonly id: string; readonly base: number }[] {
  return readdirSync(folder).flatMap((name) => {
    const match = /^([a-z0-9_]+)\.([0-9]+)\.log$/.exec(name);
    return match === null ? [] : [{ name, id: match[1] ?? "", base: Number(match[2]) }];
  });
}

const defaultMostBytes = 64 * 1024 * 1024;
const fullMark = Buffer.from("\n[the log is full: what follows is left out]\n");
