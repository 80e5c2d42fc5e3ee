// Spellings that begin alike, and how far they were followed through the bytes of a stream: all of them at once, since a
// value has very many spellings that differ only behind its first special sign. Offsets are those of the stream.

export interface Family {
  /** In the order of their bytes. */
  readonly members: readonly Member[];
  readonly longest: number;
  readonly sizeBytes: number;
}

interface Member {
  /** All of it, or its beginning. */
  readonly bytes: Buffer;
  readonly length: number;
}

/** A family that would take too much memory knows its members by their beginnings. */
export function makeFamily(spelled: Iterable<Buffer>, count: number): Family {
  const most = Math.max(leastKnownBytes, Math.floor(mostFamilyBytes / count));
  const members: Member[] = [];
  let longest = 0;
  let sizeBytes = 0;
  for (const bytes of spelled) {
    const { length } = bytes;
    const known = length > most ? Buffer.from(bytes.subarray(0, most)) : bytes;
    members.push({ bytes: known, length });
    longest = Math.max(longest, length);
    sizeBytes += known.length;
  }
  return { members: members.sort((one, other) => one.bytes.compare(other.bytes)), longest, sizeBytes };
}

export class Trail {
  readonly begin: number;
  readonly #family: Family;
  /** How many bytes match; the members from `low` to `high` do. */
  #depth = 0;
  #low = 0;
  #high: number;
  /** All these members have so many bytes in common, or more. */
  #common = 0;

  constructor(family: Family, begin: number) {
    this.#family = family;
    this.begin = begin;
    this.#high = family.members.length;
    this.#compare();
  }

  /** No member goes on. */
  get isOver(): boolean {
    return this.#low === this.#high;
  }

  get depth(): number {
    return this.#depth;
  }

  /**
   * As far as the bytes go, or a member, or `most` bytes in all. Returns the end of the longest member that was found; 0
   * for none.
   */
  run(bytes: Uint8Array, base: number, most: number): number {
    let found = 0;
    const until = Math.min(bytes.length, this.begin - base + most);
    for (let at = this.begin + this.#depth - base; !this.isOver; ) {
      const { bytes: first } = this.#family.members[this.#low] as Member;
      while (at < until && this.#depth < this.#common && bytes[at] === first[this.#depth]) {
        at++;
        this.#depth++;
      }
      if (this.#depth === this.#common) {
        if (this.#depth === first.length) {
          found = Math.max(found, this.#takeFirst());
          continue;
        }
        this.#compare();
        if (this.#common > this.#depth) continue;
      }
      if (at >= until) break;
      this.#narrow(bytes[at] as number);
    }
    return found;
  }

  /** As if all that may go on were found. */
  assume(): number {
    this.#low = this.#high;
    return this.begin + this.#family.longest;
  }

  /** The first one ends here. */
  #takeFirst(): number {
    const { length } = this.#family.members[this.#low] as Member;
    this.#low++;
    this.#compare();
    return this.begin + length;
  }

  /** Leaves those that go on with this byte. */
  #narrow(byte: number): void {
    this.#low = this.#first((of) => of >= byte);
    this.#high = this.#first((of) => of > byte);
    this.#compare();
  }

  #first(holds: (byte: number) => boolean): number {
    let low = this.#low;
    let high = this.#high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds((this.#family.members[middle] as Member).bytes[this.#depth] as number)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #compare(): void {
    if (this.isOver) return;
    const { bytes: first } = this.#family.members[this.#low] as Member;
    const { bytes: last } = this.#family.members[this.#high - 1] as Member;
    let common = this.#depth;
    // Most trails end soon.
    const until = Math.min(first.length, common + comparedBytes);
    while (common < until && first[common] === last[common]) common++;
    this.#common = common;
  }
}

const mostFamilyBytes = 8 * 1024 * 1024;
const leastKnownBytes = 64;
const comparedBytes = 64;
