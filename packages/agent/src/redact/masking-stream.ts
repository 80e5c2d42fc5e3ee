// Bytes in, the same bytes with secrets masked out. All bytes that a spelling covers are masked, spellings that overlap
// included; a run of masked bytes becomes one mark, so that nobody learns how long the secret is. Bytes that may be the
// beginning of a spelling are held back until the next ones decide, so that it doesn't matter how the stream is cut.
// Offsets are those of the stream.
import { Trail } from "./family.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import { LineMasker } from "./line-masker.ts";

import type { SpellingIndex } from "./spelling-index.ts";

export const mark = "***";

export class MaskingStream {
  readonly #secrets: KnownSecrets;
  readonly #lines: LineMasker;
  /** The size of the index when the bytes that are held were looked at. */
  #known = 0;
  /** Not let out. */
  #held: Uint8Array = nothing;
  /** The offset of the first byte that is held. */
  #base = 0;
  /** A spelling that begins before it is found already, or on a trail. */
  #scanned = 0;
  /** Of spellings that may go on behind the last byte. */
  #trails: Trail[] = [];
  /** How many bytes may be compared with spellings. */
  #credit = mostCredit;
  /** What to mask from the base on. */
  #covered: Range[] = [];
  /** The last byte that was let out was masked: its mark is for those behind it, too. */
  #isMarked = false;
  /** Where hints begin that aren't let out. */
  #hints: number[] = [];
  #hasHint = false;

  constructor(secrets: KnownSecrets) {
    this.#secrets = secrets;
    this.#lines = new LineMasker(secrets);
  }

  /** Gives the bytes that can be let out by now. */
  push(chunk: Uint8Array): Uint8Array {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    return this.#lines.push(this.#mask(bytes, false));
  }

  /** The rest. A stream that goes on afterwards begins anew. */
  end(): Uint8Array {
    const rest = this.#mask(this.#held, true);
    this.#isMarked = false;
    return Buffer.concat([this.#lines.push(rest), this.#lines.end()]);
  }

  /** True when bytes that were let out since the last call have the beginning of what may be a credential. */
  takeHint(): boolean {
    const hasHint = this.#hasHint;
    this.#hasHint = false;
    return hasHint;
  }

  /** Lets out what is decided, and holds the rest. */
  #mask(bytes: Uint8Array, isLast: boolean): Uint8Array {
    const { index } = this.#secrets;
    // With new spellings, what is held is looked at again.
    if (index.size !== this.#known) {
      this.#known = index.size;
      this.#scanned = this.#base;
      this.#trails = [];
      this.#hints = [];
    }
    const trails = this.#trails;
    this.#trails = [];
    for (const trail of trails) this.#follow(trail, bytes);
    this.#scan(index, bytes, isLast);
    // What begins where the scan ended is looked at again.
    this.#trails = isLast ? [] : this.#trails.filter(({ begin }) => begin < this.#scanned);
    const until = this.#trails.reduce((first, { begin }) => Math.min(first, begin), this.#scanned);
    return this.#letOut(bytes, until);
  }

  #scan(index: SpellingIndex, bytes: Uint8Array, isLast: boolean): void {
    const base = this.#base;
    let at = this.#scanned - base;
    const found = (hash: number, probe: number): void =>
      this.#follow(new Trail(index.family(hash, probe), base + at), bytes);
    for (; ; at++) {
      const from = at;
      at = index.skip(bytes, at);
      if (at >= bytes.length) break;
      this.#credit = Math.min(mostCredit, this.#credit + (at + 1 - from) * creditOfByte);
      if (index.look(bytes, at, found) === "cut" && !isLast) break;
      if (index.isHintAt(bytes, at)) this.#hints.push(base + at);
    }
    this.#scanned = base + Math.min(at, bytes.length);
  }

  /** To its end, or to the end of the bytes. Output that is made to cost much is masked where it may be a secret. */
  #follow(trail: Trail, bytes: Uint8Array): void {
    const before = trail.depth;
    let end = trail.run(bytes, this.#base, Math.max(leastFollowed, before + this.#credit));
    this.#credit -= trail.depth - before;
    if (!trail.isOver && this.#credit <= 0) end = Math.max(end, trail.assume());
    if (end > 0) this.#covered.push({ begin: Math.max(trail.begin, this.#base), end });
    if (!trail.isOver) this.#trails.push(trail);
  }

  #letOut(bytes: Uint8Array, untilOffset: number): Uint8Array {
    const base = this.#base;
    const until = untilOffset - base;
    this.#base = untilOffset;
    this.#held = until === bytes.length ? nothing : Buffer.from(bytes.subarray(until));
    if (until === 0) return nothing;
    while (this.#hints.length > 0 && (this.#hints[0] as number) < untilOffset) {
      this.#hints.shift();
      this.#hasHint = true;
    }
    if (this.#covered.length === 0) {
      this.#isMarked = false;
      return bytes.subarray(0, until);
    }
    const pieces: Uint8Array[] = [];
    const left: Range[] = [];
    let done = 0;
    for (const range of merge(this.#covered)) {
      const begin = range.begin - base;
      const end = range.end - base;
      if (end > until) left.push({ begin: Math.max(range.begin, untilOffset), end: range.end });
      if (begin >= until) continue;
      if (begin > done) pieces.push(bytes.subarray(done, begin));
      if (begin > 0 || !this.#isMarked) pieces.push(markBytes);
      done = Math.min(end, until);
      this.#isMarked = done === until;
    }
    if (done < until) {
      pieces.push(bytes.subarray(done, until));
      this.#isMarked = false;
    }
    this.#covered = left;
    return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
  }
}

interface Range {
  readonly begin: number;
  readonly end: number;
}

/** In order, none touches the next. */
function merge(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of [...ranges].sort((one, other) => one.begin - other.begin)) {
    const last = merged.at(-1);
    if (last === undefined || range.begin > last.end) merged.push(range);
    else if (range.end > last.end) merged[merged.length - 1] = { begin: last.begin, end: range.end };
  }
  return merged;
}

const creditOfByte = 32;
const leastFollowed = 32;
const mostCredit = 1_000_000;
const nothing = new Uint8Array(0);
const markBytes = Buffer.from(mark);
