// Reads an archive as a stream, so that it costs no more than one piece of it. What tar can be read as in two ways is refused.

export interface TarEntry {
  readonly type: TarType;
  readonly name: string;
  /** Its content, to be read before the next entry or not at all. */
  body(): AsyncGenerator<Buffer>;
}

export type TarType = "file" | "folder" | "link" | "device" | "other";

/** The archive isn't one, or says something in two ways. */
export class TarProblem extends Error {}

/** Ends where the archive says that it ends. Throws TarProblem. */
export async function* readTar(pieces: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const reader = new Reader(pieces);
  let longName: string | undefined;
  for (;;) {
    const head = await reader.take(blockBytes);
    if (head === undefined || head.every((byte) => byte === 0)) return;
    const sizeBytes = readSize(head);
    const flag = String.fromCharCode(head[typeAt] ?? 0);
    if (notes.has(flag)) {
      if (sizeBytes > mostNoteBytes) throw new TarProblem("a name in it is too long");
      const note = await reader.take(padded(sizeBytes));
      if (note === undefined) throw new TarProblem("it ends too early");
      longName = nameInNote(flag, note.subarray(0, sizeBytes)) ?? longName;
      continue;
    }
    const name = longName ?? readName(head);
    longName = undefined;
    // Only files have a content, whatever the size of the others says.
    const type = types.get(flag) ?? "other";
    let leftBytes = type === "file" ? padded(sizeBytes) : 0;
    let contentBytes = type === "file" ? sizeBytes : 0;
    async function* rest(): AsyncGenerator<Buffer> {
      while (leftBytes > 0) {
        const piece = await reader.some(leftBytes);
        if (piece === undefined) throw new TarProblem("it ends too early");
        leftBytes -= piece.length;
        const content = piece.subarray(0, contentBytes);
        contentBytes -= content.length;
        if (content.length > 0) yield content;
      }
    }
    yield { type, name, body: rest };
    for await (const _piece of rest());
  }
}

function readSize(head: Buffer): number {
  const text = textOf(head.subarray(124, 136)).trim();
  if (!/^[0-7]*$/.test(text)) throw new TarProblem("an entry of it has no readable size");
  return Number.parseInt(text || "0", 8);
}

function readName(head: Buffer): string {
  const name = textOf(head.subarray(0, 100));
  const prefix = head.subarray(257, 263).equals(posix) ? textOf(head.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** A longer name than the head has room for. Throws for what would change how long the entry is. */
function nameInNote(flag: string, note: Buffer): string | undefined {
  if (flag === "L") return textOf(note);
  if (flag !== "x") return undefined;
  const text = note.toString("utf8");
  if (/(?:^|\n)\d+ (?:size=|GNU\.sparse)/.test(text)) throw new TarProblem("an entry of it has two sizes");
  return /(?:^|\n)\d+ path=([^\n]*)/.exec(text)?.[1];
}

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end < 0 ? undefined : end).toString("utf8");
}

function padded(sizeBytes: number): number {
  return Math.ceil(sizeBytes / blockBytes) * blockBytes;
}

class Reader {
  readonly #pieces: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Undefined where less is left. */
  async take(sizeBytes: number): Promise<Buffer | undefined> {
    while (this.#held.length < sizeBytes) {
      const { value, done } = await this.#pieces.next();
      if (done) return undefined;
      this.#held = Buffer.concat([this.#held, value]);
    }
    return this.#cut(sizeBytes);
  }

  async some(mostBytes: number): Promise<Buffer | undefined> {
    if (this.#held.length === 0) {
      const { value, done } = await this.#pieces.next();
      if (done) return undefined;
      this.#held = value;
    }
    return this.#cut(mostBytes);
  }

  #cut(sizeBytes: number): Buffer {
    const cut = this.#held.subarray(0, sizeBytes);
    this.#held = this.#held.subarray(cut.length);
    return cut;
  }
}

const blockBytes = 512;
const typeAt = 156;
const mostNoteBytes = 64 * 1024;
const posix = Buffer.from("ustar\0");
/** They say more about the next entry. */
const notes = new Set(["x", "g", "L", "K"]);
const types: ReadonlyMap<string, TarType> = new Map([
  ...["0", "\0", "7"].map((flag) => [flag, "file"] as const),
  ...["1", "2"].map((flag) => [flag, "link"] as const),
  ...["3", "4", "6"].map((flag) => [flag, "device"] as const),
  ["5", "folder"],
]);
