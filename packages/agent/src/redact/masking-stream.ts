// Bytes in, the same bytes with secrets masked out. All bytes that a needle covers are masked, needles that overlap
// included; a run of masked bytes becomes one mark, so that nobody learns how long the secret is. Bytes that may be the
// beginning of a needle are held back until the next ones decide, so that it doesn't matter how the stream is cut.
import { type Automaton, windowBytes } from "./automaton.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import { LineMasker } from "./line-masker.ts";

export const mark = "***";

export class MaskingStream {
  readonly #secrets: KnownSecrets;
  readonly #lines: LineMasker;
  #automaton: Automaton | undefined;
  #state = 0;
  /** Scanned, but not let out. */
  #held: Uint8Array = nothing;
  /** Begins and ends of what to mask, from the beginning of what is held; ascending, none touches the next. */
  #masked: number[] = [];
  /** The last byte that was let out was masked: its mark is for those behind it, too. */
  #isMarked = false;
  #hasHint = false;

  constructor(secrets: KnownSecrets) {
    this.#secrets = secrets;
    this.#lines = new LineMasker(secrets);
  }

  /** Gives the bytes that can be let out by now. */
  push(chunk: Uint8Array): Uint8Array {
    return this.#lines.push(this.#mask(chunk));
  }

  /** The rest. A stream that goes on afterwards begins anew. */
  end(): Uint8Array {
    const rest = this.#letOut(this.#held, this.#held.length);
    this.#state = 0;
    this.#isMarked = false;
    return Buffer.concat([this.#lines.push(rest), this.#lines.end()]);
  }

  /** True when bytes pushed since the last call have the beginning of what may be a credential. */
  takeHint(): boolean {
    const hasHint = this.#hasHint;
    this.#hasHint = false;
    return hasHint;
  }

  #mask(chunk: Uint8Array): Uint8Array {
    const { automaton } = this.#secrets;
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    // With new needles, what is held is looked at again.
    const isNew = automaton !== this.#automaton;
    this.#automaton = automaton;
    this.#scan(automaton, bytes, isNew ? 0 : this.#held.length, isNew ? 0 : this.#state);
    return this.#letOut(bytes, bytes.length - automaton.depthOf(this.#state));
  }

  #scan(automaton: Automaton, bytes: Uint8Array, from: number, begin: number): void {
    let at = from;
    let state = begin;
    while (at < bytes.length) {
      const depth = automaton.depthOf(state);
      let stop = at + 1;
      if (depth < windowBytes) {
        at = automaton.skip(bytes, at - depth);
        stop = Math.min(at + windowBytes, bytes.length);
        state = 0;
      }
      while (at < stop) state = automaton.step(state, bytes[at++] as number);
      const length = automaton.longestAt(state);
      if (length > 0) this.#cover(at - length, at);
      if (automaton.isHintAt(state)) this.#hasHint = true;
    }
    this.#state = state;
  }

  #cover(begin: number, end: number): void {
    const masked = this.#masked;
    let from = begin;
    let until = end;
    while (masked.length > 0 && (masked.at(-1) as number) >= from) {
      until = Math.max(until, masked.pop() as number);
      from = Math.min(from, masked.pop() as number);
    }
    masked.push(from, until);
  }

  /** Lets out what is before `until`, and holds the rest. */
  #letOut(bytes: Uint8Array, until: number): Uint8Array {
    this.#held = until === bytes.length ? nothing : Buffer.from(bytes.subarray(until));
    if (until === 0) return nothing;
    if (this.#masked.length === 0) {
      this.#isMarked = false;
      return bytes.subarray(0, until);
    }
    const pieces: Uint8Array[] = [];
    const left: number[] = [];
    let done = 0;
    for (let index = 0; index < this.#masked.length; index += 2) {
      const begin = this.#masked[index] as number;
      const end = this.#masked[index + 1] as number;
      if (end > until) left.push(Math.max(0, begin - until), end - until);
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
    this.#masked = left;
    return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
  }
}

const nothing = new Uint8Array(0);
const markBytes = Buffer.from(mark);
