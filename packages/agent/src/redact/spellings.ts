// The spellings in which a secret value may turn up in what a program prints.

import { leavesOfText } from "./leaves.ts";

/** Texts to search for. A value of up to three characters is in too many words, so only a line of its own is masked. */
export interface Spellings {
  readonly searched: ReadonlySet<string>;
  readonly lines: ReadonlySet<string>;
}

/** Each is UTF-8, held as one character a byte. */
export function spellingsOf(value: string): Spellings {
  const searched = new Set<string>();
  const lines = new Set<string>();
  for (const text of textsOf(value)) {
    if ([...text].length < shortestSearched) {
      lines.add(toBytes(text));
      continue;
    }
    for (const spelling of spell(text)) searched.add(spelling);
  }
  return { searched, lines };
}

const shortestSearched = 4;

/** The value, what is left without blanks around it, each of its lines (programs print files line by line), and its leaves. */
function textsOf(value: string): Set<string> {
  const texts = new Set<string>();
  const seen = new Set<string>();
  gather(value, 0);
  return texts;

  function gather(text: string, depth: number): void {
    if (seen.has(text)) return;
    seen.add(text);
    for (const part of [text, ...(text.includes("\n") ? text.split("\n") : [])]) {
      for (const form of [part, part.trim()]) {
        if (form.trim() === "") continue;
        // The same letters may be written as other characters.
        texts.add(form).add(form.normalize("NFC")).add(form.normalize("NFD"));
      }
    }
    if (depth < deepest) for (const leaf of leavesOfText(text)) gather(leaf, depth + 1);
  }
}

/** Configurations in a leaf of a configuration. */
const deepest = 4;

function* spell(text: string): Generator<string> {
  const bytes = Buffer.from(text);
  yield bytes.toString("latin1");
  const json = JSON.stringify(text).slice(1, -1);
  yield toBytes(json);
  // As Go writes it.
  yield toBytes(json.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`));
  for (const alphabet of ["base64", "base64url"] as const) {
    yield bytes.toString(alphabet);
    for (const shift of [0, 1, 2] as const) yield base64Inside(bytes, shift, alphabet);
  }
  const hex = bytes.toString("hex");
  yield hex;
  yield hex.toUpperCase();
  yield* spellForUrls(text);
}

/** The characters that are the same whatever stands before and behind, where `shift` bytes of a group of three are before. */
function base64Inside(bytes: Buffer, shift: 0 | 1 | 2, alphabet: "base64" | "base64url"): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString(alphabet);
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
}

function* spellForUrls(text: string): Generator<string> {
  // Through bytes: half of a character (UTF-16) has no spelling in an URL.
  const loose = encodeURIComponent(Buffer.from(text).toString());
  const strict = loose.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  for (const spelling of [loose, strict, strict.replaceAll("%20", "+")]) {
    yield spelling;
    yield spelling.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
  }
}

function toBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}
