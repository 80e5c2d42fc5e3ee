import fc from "fast-check";
import { expect, test } from "vitest";
import { KnownSecrets } from "./known-secrets.ts";
import { MaskingStream } from "./masking-stream.ts";
import { redactJson, redactText } from "./redact-json.ts";
import { spell, textsOf } from "./spellings.ts";

function knowing(...values: readonly string[]): KnownSecrets {
  const secrets = new KnownSecrets();
  for (const value of values) secrets.add(value);
  return secrets;
}

/** UTF-8, one character a byte. */
function needlesOf(value: string): string[] {
  const { chained, searched } = textsOf(value);
  const texts = [
    ...[...chained].flatMap((text) => [...spell(text, true)]),
    ...[...searched].flatMap((text) => [...spell(text, false)]),
  ];
  return texts.map(({ text }) => Buffer.from(text).toString("latin1")).filter((needle) => needle.length >= 4);
}

/** Covers each occurrence of each needle, one after the other, and marks each run of covered bytes once. */
function maskNaively(needles: readonly string[], text: string): string {
  const bytes = Buffer.from(text).toString("latin1");
  const isCovered = new Array<boolean>(bytes.length).fill(false);
  for (const needle of new Set(needles)) {
    for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1))
      isCovered.fill(true, at, at + needle.length);
  }
  let masked = "";
  for (let at = 0; at < bytes.length; at++) {
    if (!isCovered[at]) masked += bytes[at];
    else if (!isCovered[at - 1]) masked += "***";
  }
  return masked;
}

function maskInPieces(secrets: KnownSecrets, pieces: readonly Uint8Array[]): string {
  const stream = new MaskingStream(secrets);
  const out = pieces.map((piece) => Buffer.from(stream.push(piece)));
  return Buffer.concat([...out, stream.end()]).toString("latin1");
}

/** Words have few different letters, so that secrets meet and overlap. */
const word = fc.string({ unit: fc.constantFrom("a", "b", "é", '"', "="), minLength: 4, maxLength: 9 });
const piece = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "é", '"', "=", " ", "\\") }),
  fc.nat(9).map((index) => `#${index}`),
);

test("scenario 12: what leaves is what covering each occurrence leaves, however the stream is cut", () => {
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 6 }),
      fc.array(piece, { maxLength: 12 }),
      fc.array(fc.nat(40), { maxLength: 20 }),
      (values, parts, cuts) => {
        const spellings = [...new Set(values)].flatMap(needlesOf);
        const text = parts
          .map((part) => (part.startsWith("#") ? fromBytes(spellings[Number(part.slice(1)) % spellings.length]) : part))
          .join("");
        const bytes = Buffer.from(text);
        const pieces: Uint8Array[] = [];
        let from = 0;
        for (const length of cuts) {
          pieces.push(bytes.subarray(from, from + length));
          from += length;
        }
        pieces.push(bytes.subarray(from));
        expect(maskInPieces(knowing(...values), pieces)).toBe(maskNaively(spellings, text));
      },
    ),
    { numRuns: 40 },
  );
}, 180_000);

function fromBytes(latin1: string | undefined): string {
  return Buffer.from(latin1 ?? "", "latin1").toString();
}

const canary = "c4n\"ry\\pa ss/w'o$rd+ü&<x>,=%#~!*{}[]()?;:@^|-_.";

const canaryAlone = knowing(canary);

// As the programs that are named write it.
test.each([
  ["as it is", canary],
  ["in JSON", JSON.stringify(canary)],
  ["in JSON of Go", JSON.stringify(canary).replace(/[&<>]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)],
  ["in JSON inside of JSON", JSON.stringify(JSON.stringify(canary)).slice(3, -3)],
  ["in json.dumps of Python", String.raw`c4n\"ry\\pa ss/w'o$rd+\u00fc&<x>,=%#~!*{}[]()?;:@^|-_.`],
  ["in json_encode of PHP", String.raw`c4n\"ry\\pa ss\/w'o$rd+\u00fc&<x>,=%#~!*{}[]()?;:@^|-_.`],
  ["in repr of Python", String.raw`c4n"ry\\pa ss/w\'o$rd+ü&<x>,=%#~!*{}[]()?;:@^|-_.`],
  ["in ascii of Python", String.raw`c4n"ry\\pa ss/w\'o$rd+\xfc&<x>,=%#~!*{}[]()?;:@^|-_.`],
  ["in bytes of Python", String.raw`c4n"ry\\pa ss/w\'o$rd+\xc3\xbc&<x>,=%#~!*{}[]()?;:@^|-_.`],
  ["in single quotes of YAML and SQL", canary.replaceAll("'", "''")],
  ["in CSV", canary.replaceAll('"', '""')],
  ["in single quotes of bash's set", canary.replaceAll("'", "'\\''")],
  ["in shlex.quote of Python and set of dash", canary.replaceAll("'", `'"'"'`)],
  ["in declare -p of bash", String.raw`c4n\"ry\\pa ss/w'o\$rd+ü&<x>,=%#~!*{}[]()?;:@^|-_.`],
  ["in printf %%q", String.raw`c4n\"ry\\pa\ ss/w\'o\$rd+ü\&\<x\>\,=%#~\!\*\{\}\[\]\(\)\?\;:@\^\|-_.`],
  ["in set of bash in ASCII", String.raw`c4n"ry\\pa ss/w\'o$rd+\303\274&<x>,=%#~!*{}[]()?;:@^|-_.`],
  ["in html.escape of Python", "c4n&quot;ry\\pa ss/w&#x27;o$rd+ü&amp;&lt;x&gt;,=%#~!*{}[]()?;:@^|-_."],
  ["in html.EscapeString of Go", "c4n&#34;ry\\pa ss/w&#39;o$rd+ü&amp;&lt;x&gt;,=%#~!*{}[]()?;:@^|-_."],
  ["in html/template of Go", "c4n&#34;ry\\pa ss/w&#39;o$rd&#43;ü&amp;&lt;x&gt;,=%#~!*{}[]()?;:@^|-_."],
  ["in XML", "c4n&quot;ry\\pa ss/w&apos;o$rd+ü&amp;&lt;x&gt;,=%#~!*{}[]()?;:@^|-_."],
  ["with entities", "c4n\"ry\\pa ss/w'o$rd+&#252;&<x>,=%#~!*{}[]()?;:@^|-_."],
  ["in encodeURIComponent", encodeURIComponent(canary)],
  ["in encodeURI", encodeURI(canary)],
  [
    "in urllib.parse.quote",
    "c4n%22ry%5Cpa%20ss/w%27o%24rd%2B%C3%BC%26%3Cx%3E%2C%3D%25%23~%21%2A%7B%7D%5B%5D%28%29%3F%3B%3A%40%5E%7C-_.",
  ],
  [
    "in url.QueryEscape of Go",
    "c4n%22ry%5Cpa+ss%2Fw%27o%24rd%2B%C3%BC%26%3Cx%3E%2C%3D%25%23~%21%2A%7B%7D%5B%5D%28%29%3F%3B%3A%40%5E%7C-_.",
  ],
  [
    "in url.PathEscape of Go",
    "c4n%22ry%5Cpa%20ss%2Fw%27o$rd+%C3%BC&%3Cx%3E%2C=%25%23~%21%2A%7B%7D%5B%5D%28%29%3F%3B:@%5E%7C-_.",
  ],
  [
    "in a password of Go's URLs",
    "c4n%22ry%5Cpa%20ss%2Fw%27o$rd+%C3%BC&%3Cx%3E,=%25%23~%21%2A%7B%7D%5B%5D%28%29%3F;%3A%40%5E%7C-_.",
  ],
  ["in a password of URL", Object.assign(new URL("http://user@host"), { password: canary }).password],
  ["in URLSearchParams", new URLSearchParams({ "": canary }).toString().slice(1)],
  ["in an URL in lower case", encodeURIComponent(canary).replace(/%../g, (byte) => byte.toLowerCase())],
  ["in hex", Buffer.from(canary).toString("hex")],
  ["in upper-case hex", Buffer.from(canary).toString("hex").toUpperCase()],
  ["in base64", Buffer.from(canary).toString("base64")],
  ["in base64 of URLs", Buffer.from(canary).toString("base64url")],
  ["in base64 of base64", Buffer.from(Buffer.from(canary).toString("base64")).toString("base64")],
  [
    "in lines of base64",
    (
      Buffer.from(canary.repeat(1))
        .toString("base64")
        .match(/.{1,64}/g) ?? []
    ).join("\n"),
  ],
  ["decomposed", canary.normalize("NFD")],
])("scenario 12: a secret %s is masked", (_how, text) => {
  expect(redactText(canaryAlone, `before ${text} behind`)).toMatch(/^before "?\*\*\*"? behind$/);
});

test.each([0, 1, 2])("inside of base64, %i bytes behind a group of three, no group of it is left", (shift) => {
  const encoded = Buffer.from(`${"x".repeat(shift)}${canary}trailer`).toString("base64");
  const masked = redactText(knowing(canary), encoded);
  expect(masked).toContain("***");
  const inner = Buffer.from(canary).subarray(2, -2).toString("latin1");
  expect(Buffer.from(masked.replace("***", ""), "base64").toString("latin1")).not.toContain(inner.slice(0, 4));
});

test("scenario 12: each line of a value of several lines is masked, wherever it is printed", () => {
  const pem = "-----BEGIN KEY-----\r\nMIGHAgEAMBMG\n  BxMCggqhkjO\n-----END KEY-----\n";
  const masked = redactText(knowing(pem), "key: MIGHAgEAMBMG and BxMCggqhkjO, then\n-----END KEY-----\n");
  expect(masked).toBe("key: *** and ***, then\n***\n");
});

test("scenario 12: a value of up to three characters is masked where it is all that a line has, and nowhere else", () => {
  const secrets = knowing("ü1z", "ok");
  const text = "ok, all is ü1z here\nok\n \tü1z \r\nnok\nok";
  expect(redactText(secrets, text)).toBe("ok, all is ü1z here\n***\n***\nnok\n***");
  const pieces = [...Buffer.from(text)].map((byte) => Uint8Array.of(byte));
  expect(Buffer.from(maskInPieces(secrets, pieces), "latin1").toString()).toBe(redactText(secrets, text));
});

test("a value that comes while the stream is under way is masked in what is held back, too", () => {
  const secrets = knowing("abcdefgh");
  const stream = new MaskingStream(secrets);
  const first = Buffer.from(stream.push(Buffer.from("start abcdefgXabcd"))).toString();
  secrets.add("cdef");
  expect(first + Buffer.from(stream.push(Buffer.from("efzz abcdefgh"))) + Buffer.from(stream.end())).toBe(
    "start abcdefgXab***zz ***",
  );
});

test("what was masked stays masked when another value comes", () => {
  const secrets = knowing("secret-one", "one-and-more");
  const stream = new MaskingStream(secrets);
  const first = Buffer.from(stream.push(Buffer.from("a secret-one"))).toString();
  secrets.add("cret");
  expect(first + Buffer.from(stream.push(Buffer.from(" b"))) + Buffer.from(stream.end())).toBe("a *** b");
});

test("in JSON each string, name and long number is masked, and its shape stays", () => {
  const secrets = knowing('","x', "12345678", "abc");
  const value = { '","x': [1, 12345678, "abc", "abcd", null, true], nested: { text: 'q","xq', none: undefined } };
  expect(redactJson(secrets, value)).toEqual({
    "***": [1, "***", "***", "abcd", null, true],
    nested: { text: "q***q", none: undefined },
  });
});

test("more than memory is meant for is refused", () => {
  const secrets = new KnownSecrets({
    valueBytes: 1_024,
    textBytes: 20_000,
    chainedSpellings: 10,
    spellings: 1_000_000,
  });
  expect(() => secrets.add("x".repeat(1_025))).toThrow(expect.objectContaining({ code: "REDACT_TOO_MUCH" }));
  expect(() => {
    for (let index = 0; index < 100; index++) secrets.add(`${index}`.repeat(200));
  }).toThrow(expect.objectContaining({ code: "REDACT_TOO_MUCH" }));
});

test("a text of one letter and secrets of the same letter cost what others cost", () => {
  const secrets = knowing(...Array.from({ length: 50 }, (_, index) => "a".repeat(100 + index)));
  const stream = new MaskingStream(secrets);
  const before = performance.now();
  const out = Buffer.concat([stream.push(Buffer.alloc(300_000, "a")), stream.end()]).toString();
  expect(out).toBe("***");
  // Some 0.2 s; comparing each spelling at each place would take many minutes.
  expect(performance.now() - before).toBeLessThan(100_000);
}, 120_000);
