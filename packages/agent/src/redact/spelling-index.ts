// Finds where one of very many spellings may begin, at a cost that doesn't depend on their number. Of each spelling it
// keeps hashes of its beginning and how it is made, and makes it again where it seems to begin: some twenty bytes for
// each, however long it is.
import { type Family, makeFamily } from "./family.ts";
import { PrefixFilter } from "./prefix-filter.ts";
import { respell, type Spelling } from "./spellings.ts";

export class SpellingIndex {
  readonly #texts: string[] = [];
  readonly #filter = new PrefixFilter();
  readonly #hints = new Set<number>();
  readonly #families = new Map<string, Family>();
  #familyBytes = 0;
  #count = 0;
  #text = new Int32Array(firstRoom);
  #ways = new Uint16Array(firstRoom);
  #hashes = new Int32Array(firstRoom);
  #probes = new Uint8Array(firstRoom);
  #windows = new Int32Array(firstRoom);
  /** The next one in the same place of the table; 0 for none. */
  #next = new Int32Array(firstRoom);
  /** The last one in each place, counted from 1. */
  #table = new Int32Array(firstRoom);
  #bitmap = new Int32Array(2 ** (fewestBits - 5));
  #shift = 32 - fewestBits;
  #marked = 0;

  /** Hints are found as spellings are, and only noted. Four characters each, one a byte. */
  constructor(hints: Iterable<string>) {
    for (const hint of hints) {
      const bytes = Buffer.from(hint, "latin1");
      this.#hints.add(bytes.readInt32BE());
      this.#mark(bytes.readInt32BE());
      this.#addPrefixes(bytes, bytes.length);
    }
  }

  /** How many there are. */
  get size(): number {
    return this.#count;
  }

  addText(text: string, spellings: Iterable<Spelling>): void {
    const place = this.#texts.push(text) - 1;
    for (const spelling of spellings) this.#add(place, spelling);
    this.#forgetFamilies();
  }

  /**
   * The first place from `start` on where a spelling may begin; where the last bytes are too few to say, the first of
   * them.
   */
  skip(bytes: Uint8Array, start: number): number {
    const last = bytes.length - windowBytes;
    if (start > last) return start;
    const bitmap = this.#bitmap;
    const shift = this.#shift;
    let window = ((bytes[start] as number) << 16) | ((bytes[start + 1] as number) << 8) | (bytes[start + 2] as number);
    for (let at = start; at <= last; at++) {
      window = (window << 8) | (bytes[at + 3] as number);
      const bit = Math.imul(window, multiplier) >>> shift;
      if (((bitmap[bit >>> 5] as number) >>> (bit & 31)) & 1) return at;
    }
    return last + 1;
  }

  /**
   * Tells `found` the hash of each beginning that spellings seem to have here. `cut`: more may begin here, of which not
   * all bytes are there.
   */
  look(bytes: Uint8Array, at: number, found: (hash: number, probe: number) => void): "all" | "cut" {
    let hash = 0;
    const end = Math.min(bytes.length, at + longestProbe);
    for (let index = at; index < end; index++) {
      const length = index - at + 1;
      hash = mix(hash, bytes[index] as number);
      if (length <= longestPrefix && !this.#filter.has(hash)) return "all";
      if (length !== 4 && length !== 8 && length !== 16 && length !== 32) continue;
      if (this.#table[hash & (this.#table.length - 1)] !== 0) found(hash, length);
    }
    return end - at < longestProbe ? "cut" : "all";
  }

  /** Those that begin so. */
  family(hash: number, probe: number): Family {
    const key = `${probe}:${hash}`;
    const known = this.#families.get(key);
    if (known) return known;
    const entries = [...this.#beginning(hash, probe)];
    const family = makeFamily(this.#respellAll(entries), entries.length);
    if (this.#familyBytes + family.sizeBytes > mostFamilyBytes) this.#forgetFamilies();
    this.#familyBytes += family.sizeBytes;
    this.#families.set(key, family);
    return family;
  }

  isHintAt(bytes: Uint8Array, at: number): boolean {
    if (at + windowBytes > bytes.length) return false;
    const [one = 0, two = 0, three = 0, four = 0] = bytes.subarray(at, at + windowBytes);
    return this.#hints.has((one << 24) | (two << 16) | (three << 8) | four);
  }

  #forgetFamilies(): void {
    this.#families.clear();
    this.#familyBytes = 0;
  }

  *#beginning(hash: number, probe: number): Generator<number> {
    for (let entry = this.#table[hash & (this.#table.length - 1)] as number; entry > 0; ) {
      const place = entry - 1;
      if (this.#hashes[place] === hash && this.#probes[place] === probe) yield place;
      entry = this.#next[place] as number;
    }
  }

  *#respellAll(entries: readonly number[]): Generator<Buffer> {
    for (const entry of entries) {
      const ways = this.#ways[entry] as number;
      yield respell(this.#texts[this.#text[entry] as number] as string, ways >>> 8, ways & 255);
    }
  }

  #add(place: number, { first, second, text }: Spelling): void {
    // No unit of a string has less than a byte, and the last one may be half of a character.
    const bytes = Buffer.from(text.slice(0, longestProbe + 1));
    const probe = probes.find((length) => length <= bytes.length);
    if (probe === undefined) return;
    if (this.#count === this.#text.length) this.#grow();
    const entry = this.#count++;
    const window = bytes.readInt32BE();
    const hash = this.#addPrefixes(bytes, probe);
    this.#text[entry] = place;
    this.#ways[entry] = (first << 8) | second;
    this.#hashes[entry] = hash;
    this.#probes[entry] = probe;
    this.#windows[entry] = window;
    this.#link(entry);
    this.#mark(window);
  }

  /** Returns the hash of the first `probe` bytes. */
  #addPrefixes(bytes: Uint8Array, probe: number): number {
    let hash = 0;
    let probed = 0;
    const end = Math.min(bytes.length, longestProbe);
    for (let index = 0; index < end; index++) {
      hash = mix(hash, bytes[index] as number);
      if (index < longestPrefix) this.#filter.add(hash);
      if (index === probe - 1) probed = hash;
    }
    return probed;
  }

  #link(entry: number): void {
    const place = (this.#hashes[entry] as number) & (this.#table.length - 1);
    this.#next[entry] = this.#table[place] as number;
    this.#table[place] = entry + 1;
  }

  #mark(window: number): void {
    const bit = Math.imul(window, multiplier) >>> this.#shift;
    const before = this.#bitmap[bit >>> 5] as number;
    const after = before | (1 << (bit & 31));
    if (after === before) return;
    this.#bitmap[bit >>> 5] = after;
    this.#marked++;
    if (this.#marked * bitsOfEach > 2 ** (32 - this.#shift) && this.#shift > 32 - mostBits) this.#widen();
  }

  /** So few places are marked that most bytes are passed by. */
  #widen(): void {
    this.#shift -= 2;
    this.#bitmap = new Int32Array(2 ** (32 - this.#shift - 5));
    this.#marked = 0;
    for (const hint of this.#hints) this.#mark(hint);
    for (let entry = 0; entry < this.#count; entry++) this.#mark(this.#windows[entry] as number);
  }

  #grow(): void {
    const room = this.#text.length * 2;
    this.#text = enlarge(this.#text, new Int32Array(room));
    this.#ways = enlarge(this.#ways, new Uint16Array(room));
    this.#hashes = enlarge(this.#hashes, new Int32Array(room));
    this.#probes = enlarge(this.#probes, new Uint8Array(room));
    this.#windows = enlarge(this.#windows, new Int32Array(room));
    this.#next = new Int32Array(room);
    this.#table = new Int32Array(room);
    for (let entry = 0; entry < this.#count; entry++) this.#link(entry);
  }
}

function mix(hash: number, byte: number): number {
  const mixed = Math.imul(hash ^ (byte + 1), multiplier);
  return mixed ^ (mixed >>> 13);
}

function enlarge<T extends Int32Array | Uint16Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

const windowBytes = 4;
const probes = [32, 16, 8, 4] as const;
const longestProbe = 32;
/** Beginnings of up to so many bytes are known one by one. */
const longestPrefix = 16;
const firstRoom = 256;
const fewestBits = 18;
const mostBits = 22;
const bitsOfEach = 256;
const mostFamilyBytes = 16 * 1024 * 1024;
/** Odd, its bits well mixed (the golden ratio). */
const multiplier = 0x9e3779b1;
