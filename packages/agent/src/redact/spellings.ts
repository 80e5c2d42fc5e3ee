// The texts of a secret value that may turn up in what a program prints, and how often they may be written over.
import { encoders, encodersFor } from "./encoders.ts";
import { leavesOfText } from "./leaves.ts";

/** A value of up to three characters is in too many words, so only a line of its own is masked. */
export interface Texts {
  /** Searched for in chains of two encoders. */
  readonly chained: ReadonlySet<string>;
  /** Searched for in each encoder. */
  readonly searched: ReadonlySet<string>;
  /** UTF-8, held as one character a byte. */
  readonly lines: ReadonlySet<string>;
}

/** One way of writing a text: first by one encoder, then by the other; by their places among all. */
export interface Spelling {
  readonly first: number;
  readonly second: number;
  readonly text: string;
}

/** The value, what is left without blanks around it, each of its lines (programs print files line by line), and its leaves. */
export function textsOf(value: string): Texts {
  const chained = new Set<string>();
  const searched = new Set<string>();
  const lines = new Set<string>();
  const seen = new Set<string>();
  gather(wellFormed(value), 0);
  for (const text of chained) searched.delete(text);
  return { chained, searched, lines };

  function gather(text: string, depth: number): void {
    if (seen.has(text)) return;
    seen.add(text);
    take(text, chained);
    if (text.includes("\n")) for (const line of text.split("\n")) take(line, searched);
    if (depth < deepest) for (const leaf of leavesOfText(text)) gather(wellFormed(leaf), depth + 1);
  }

  function take(part: string, into: Set<string>): void {
    for (const form of [part, part.trim()]) {
      if (form.trim() === "") continue;
      const texts = [...form].length < shortestText ? lines : form.length > longestChained ? searched : into;
      // The same letters may be written as other characters.
      for (const text of [form, form.normalize("NFC"), form.normalize("NFD")])
        texts.add(texts === lines ? toBytes(text) : text);
    }
  }
}

/** Each that differs, once. */
export function* spell(text: string, isChained: boolean): Generator<Spelling> {
  const made = new Set<string>();
  const begun = new Set<string>();
  for (const [first, { encode }] of encodersFor(text).entries()) {
    const once = encode(text);
    // What others make of the same text is the same.
    if (once.length < shortestText || begun.has(once)) continue;
    begun.add(once);
    for (const [second, { encode: again }] of (isChained ? encodersFor(once) : asItIs).entries()) {
      const twice = again(once);
      if (twice.length < shortestText || made.has(twice)) continue;
      made.add(twice);
      yield { first, second, text: twice };
    }
  }
}

/** UTF-8. */
export function respell(text: string, first: number, second: number): Buffer {
  const [one, two] = [encoders[first], encoders[second]];
  return Buffer.from(two?.encode(one?.encode(text) ?? "") ?? "");
}

/** Half of a character (UTF-16) has no spelling in bytes. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function toBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

const asItIs = encoders.slice(0, 1);
const shortestText = 4;
/** Configurations in a leaf of a configuration. */
const deepest = 4;
const longestChained = 16 * 1024;
