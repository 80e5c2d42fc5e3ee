import fc from "fast-check";
import { expect, test } from "vitest";
import { KnownSecrets } from "./known-secrets.ts";
import { MaskingStream } from "./masking-stream.ts";

/** As programs write a text, with what they put around it. */
const writers: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  JSON: JSON.stringify,
  "JSON of Go": (text) => JSON.stringify(text).replace(/[<>&]/g, unicode),
  "ASCII JSON": (text) => JSON.stringify(text).replace(/[\x7f-\uffff]/g, unicode),
  "JSON of PHP": (text) =>
    JSON.stringify(text)
      .replace(/[\x7f-\uffff]/g, unicode)
      .replaceAll("/", "\\/"),
  "a shell's quotes": (text) => `'${text.replaceAll("'", "'\\''")}'`,
  "shlex.quote": (text) => `'${text.replaceAll("'", `'"'"'`)}'`,
  "printf %q": (text) =>
    /[\n\t]/.test(text)
      ? `$'${text.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}'`
      : text.replace(/[ '"\\|&;()<>!{}*[\]?^$`,]|^[#~]/g, "\\$&"),
  "declare -p": (text) => `"${text.replace(/["$`\\]/g, "\\$&")}"`,
  "html.escape": (text) => html(text).replaceAll('"', "&quot;").replaceAll("'", "&#x27;"),
  "html.EscapeString": (text) => html(text).replaceAll('"', "&#34;").replaceAll("'", "&#39;"),
  "decimal entities": (text) => text.replace(/[\u{80}-\u{10ffff}]/gu, (sign) => `&#${sign.codePointAt(0)};`),
  encodeURIComponent,
  "urllib.parse.quote": (text) => strict(text).replaceAll("%2F", "/"),
  "a form": (text) => strict(text).replaceAll("%20", "+"),
  hex: (text) => Buffer.from(text).toString("hex"),
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  "base64, one byte before": (text) => Buffer.from(`:${text}:`).toString("base64"),
  "base64, two bytes before": (text) => Buffer.from(`: ${text}`).toString("base64"),
};

function unicode(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function html(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function strict(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

const writer = fc.constantFrom(...Object.keys(writers));
const value = fc
  .string({ unit: fc.constantFrom(..."abcXYZ0189 \"'\\/$&<>%+=?{}#!,;ü€🔑\n\t"), minLength: 24, maxLength: 60 })
  .filter((text) => text.trim() === text);

test("a value that two of twenty encoders have written over is masked, however the stream is cut", () => {
  expect(Object.keys(writers)).toHaveLength(20);
  fc.assert(
    fc.property(
      value,
      writer,
      writer,
      fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 12 }),
      (secret, one, two, cuts) => {
        const secrets = new KnownSecrets();
        secrets.add(secret);
        const written = writers[two]?.(writers[one]?.(secret) ?? "") ?? "";
        const left = mask(secrets, `before ${written} behind`, cuts);
        expect(left).toMatch(/^before .*\*\*\*.* behind$/s);
        // Quotes, and up to four bits on either side of base64, as the second encoder writes them.
        expect(left.length, `${one}, ${two}: ${left}`).toBeLessThanOrEqual("before *** behind".length + 32);
      },
    ),
    { numRuns: 60 },
  );
}, 300_000);

function mask(secrets: KnownSecrets, text: string, cuts: readonly number[]): string {
  const bytes = Buffer.from(text);
  const stream = new MaskingStream(secrets);
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const length of [...cuts, bytes.length]) {
    pieces.push(Buffer.from(stream.push(bytes.subarray(from, from + length))));
    from += length;
  }
  return Buffer.concat([...pieces, stream.end()]).toString();
}
