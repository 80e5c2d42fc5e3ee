// The ways in which programs write a text. One row each: what it is called, and what it makes of a text.

export interface Encoder {
  readonly name: string;
  encode(text: string): string;
}

export const encoders: readonly Encoder[] = [
  { name: "as it is", encode: (text) => text },
  ...asBytes(),
  ...inQuotes(),
  ...inShells(),
  ...inMarkup(),
  ...inUrls(),
];

const plainEncoders = encoders.slice(0, 1 + asBytes().length);

/** Those that may change the text, and the one that never does. */
export function encodersFor(text: string): readonly Encoder[] {
  return plain.test(text) ? plainEncoders : encoders;
}

function asBytes(): Encoder[] {
  return [
    { name: "in hex", encode: (text) => Buffer.from(text).toString("hex") },
    { name: "in upper-case hex", encode: (text) => Buffer.from(text).toString("hex").toUpperCase() },
    { name: "in base64, in lines of 76", encode: (text) => wrap(Buffer.from(text).toString("base64"), 76) },
    { name: "in base64, in lines of 64", encode: (text) => wrap(Buffer.from(text).toString("base64"), 64) },
    ...(["base64", "base64url"] as const).flatMap((alphabet) => [
      { name: `in ${alphabet}`, encode: (text: string) => Buffer.from(text).toString(alphabet) },
      ...([0, 1, 2] as const).map((shift) => ({
        name: `inside of ${alphabet}, ${shift} bytes behind a group of three`,
        encode: (text: string) => base64Inside(Buffer.from(text), shift, alphabet),
      })),
    ]),
  ];
}

function inQuotes(): Encoder[] {
  return [
    { name: "in JSON", encode: json },
    { name: "in JSON of Go", encode: (text) => replace(json(text), /[<>&\u2028\u2029]/g, unicodeEscape) },
    { name: "in ASCII JSON", encode: asciiJson },
    { name: "in ASCII JSON with capitals", encode: (text) => replace(json(text), notAscii, upperUnicodeEscape) },
    { name: "in JSON with escaped slashes", encode: (text) => replace(json(text), /\//g, "\\/") },
    { name: "in ASCII JSON with escaped slashes", encode: (text) => replace(asciiJson(text), /\//g, "\\/") },
    { name: "in HCL", encode: (text) => replace(json(text), /[$%](?=\{)/g, "$&$&") },
    { name: "in Python's quotes", encode: python },
    { name: "in Python's single quotes", encode: (text) => replace(python(text), /'/g, "\\'") },
    {
      name: "in Python's ASCII",
      encode: (text) => replace(replace(python(text), /'/g, "\\'"), notAsciiCharacter, pythonEscape),
    },
    { name: "in Python's bytes", encode: (text) => escapeBytes(replace(python(text), /'/g, "\\'"), hexEscape) },
    { name: "in single quotes, doubled", encode: (text) => replace(text, /'/g, "''") },
    { name: "in double quotes, doubled", encode: (text) => replace(text, /"/g, '""') },
  ];
}

function inShells(): Encoder[] {
  return [
    { name: "in a shell's single quotes", encode: (text) => replace(text, /'/g, "'\\''") },
    { name: "in a shell's single quotes, as Python and dash write it", encode: (text) => replace(text, /'/g, `'"'"'`) },
    { name: "in a shell's double quotes", encode: (text) => replace(text, /["$`\\]/g, "\\$&") },
    { name: "as printf %q writes it", encode: (text) => replace(percentQ(text), /^[#~]/, "\\$&") },
    { name: "behind other signs as printf %q writes it", encode: percentQ },
    { name: "as a shell's set writes it", encode: ansi },
    { name: "as a shell's set writes it in ASCII", encode: (text) => escapeBytes(ansi(text), octalEscape) },
  ];
}

function inMarkup(): Encoder[] {
  const markup = (text: string): string => replace(replace(replace(text, /&/g, "&amp;"), /</g, "&lt;"), />/g, "&gt;");
  const go = (text: string): string => replace(replace(markup(text), /"/g, "&#34;"), /'/g, "&#39;");
  const python = (text: string): string => replace(replace(markup(text), /"/g, "&quot;"), /'/g, "&#x27;");
  const named = (text: string): string => replace(markup(text), /"/g, "&quot;");
  return [
    { name: "in the text of HTML", encode: markup },
    { name: "in HTML", encode: named },
    { name: "in HTML with &#39;", encode: (text) => replace(named(text), /'/g, "&#39;") },
    { name: "in HTML of Python", encode: python },
    { name: "in HTML of Go", encode: go },
    { name: "in HTML of Go's templates", encode: (text) => replace(go(text), /\+/g, "&#43;") },
    { name: "in XML", encode: (text) => replace(named(text), /'/g, "&apos;") },
    { name: "in XML of Go", encode: (text) => replace(go(text), /[\t\n\r]/g, hexEntity) },
    {
      name: "in HTML with decimal entities",
      encode: (text) => replace(python(text), notAsciiCharacter, decimalEntity),
    },
    { name: "in HTML with hex entities", encode: (text) => replace(python(text), notAsciiCharacter, lowerHexEntity) },
    { name: "in text with decimal entities", encode: (text) => replace(text, notAsciiCharacter, decimalEntity) },
  ];
}

function inUrls(): Encoder[] {
  const safe: readonly (readonly [name: string, safe: string, space?: string])[] = [
    ["as encodeURIComponent writes it", "-_.!~*'()"],
    ["as RFC 3986 wants it", "-_.~"],
    ["as urllib.parse.quote writes it", "-_.~/"],
    ["as forms of browsers", "-_.*", "+"],
    ["as forms", "-_.~", "+"],
    ["as encodeURI writes it", ";,/?:@&=+$#-_.!~*'()"],
    ["as a path of Go", "-_.~$&+:=@"],
    ["as a password of Go", "-_.~$&+,;="],
    ["as a password of browsers", "-_.!~*'()$&+,%"],
  ];
  return safe.flatMap(([name, signs, space]) => {
    const unsafe = new RegExp(`[^A-Za-z0-9${signs.replace("-", "\\-")}]`, "gu");
    const encode = remember((text) =>
      replace(text, unsafe, (sign) => (sign === " " && space !== undefined ? space : percent(sign))),
    );
    return [
      { name: `in an URL ${name}`, encode },
      { name: `in an URL ${name}, in lower case`, encode: (text) => replace(encode(text), /%[0-9A-F]{2}/g, lower) },
    ];
  });
}

function json(text: string): string {
  return lastJson(text);
}

function asciiJson(text: string): string {
  return replace(json(text), notAscii, unicodeEscape);
}

function python(text: string): string {
  return lastPython(text);
}

function pythonOf(text: string): string {
  return replace(
    replace(text, /\\/g, "\\\\"),
    control,
    (sign) => shortEscapes.get(sign) ?? hexEscape(sign.charCodeAt(0)),
  );
}

function percentQ(text: string): string {
  return replace(text, /[\s'"\\|&;()<>!{}*[\]?^$`,]|(?<=[=:])~/g, "\\$&");
}

/** Inside of `$'…'`. */
function ansi(text: string): string {
  return replace(
    replace(text, /[\\']/g, "\\$&"),
    control,
    (sign) => ansiEscapes.get(sign) ?? octalEscape(sign.charCodeAt(0)),
  );
}

function percent(sign: string): string {
  return sign < "\x80" ? `%${hexOf(sign.charCodeAt(0)).toUpperCase()}` : encodeURIComponent(sign);
}

/** The characters that are the same whatever stands before and behind, where `shift` bytes of a group of three are before. */
function base64Inside(bytes: Buffer, shift: 0 | 1 | 2, alphabet: "base64" | "base64url"): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString(alphabet);
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
}

function wrap(text: string, width: number): string {
  return text.length <= width ? text : (text.match(new RegExp(`.{1,${width}}`, "g")) ?? []).join("\n");
}

/** Several encoders begin with the same one, one after the other for the same text. */
function remember(encode: (text: string) => string): (text: string) => string {
  let [last, made] = ["", ""];
  return (text) => {
    if (text === last) return made;
    last = text;
    made = encode(text);
    return made;
  };
}

/** Most texts have nothing of what is replaced. */
function replace(text: string, pattern: RegExp, by: string | ((sign: string) => string)): string {
  return plain.test(text) ? text : text.replace(pattern, by as string);
}

/** Each byte that isn't ASCII. */
function escapeBytes(text: string, made: (byte: number) => string): string {
  return replace(text, /[\u{80}-\u{10ffff}]+/gu, (signs) => [...Buffer.from(signs)].map(made).join(""));
}

const lastJson = remember((text) => (plain.test(text) ? text : JSON.stringify(text).slice(1, -1)));
const lastPython = remember(pythonOf);
const hexOf = (code: number, digits = 2): string => code.toString(16).padStart(digits, "0");
const unicodeEscape = (sign: string): string => `\\u${hexOf(sign.charCodeAt(0), 4)}`;
const upperUnicodeEscape = (sign: string): string => `\\u${hexOf(sign.charCodeAt(0), 4).toUpperCase()}`;
const hexEscape = (code: number): string => `\\x${hexOf(code)}`;
const octalEscape = (code: number): string => `\\${code.toString(8).padStart(3, "0")}`;
const hexEntity = (sign: string): string => `&#x${sign.charCodeAt(0).toString(16).toUpperCase()};`;
const lower = (text: string): string => text.toLowerCase();
const decimalEntity = (sign: string): string => `&#${sign.codePointAt(0)};`;
const lowerHexEntity = (sign: string): string => `&#x${(sign.codePointAt(0) ?? 0).toString(16)};`;

function pythonEscape(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (code <= 0xff) return hexEscape(code);
  return code <= 0xffff ? `\\u${hexOf(code, 4)}` : `\\U${hexOf(code, 8)}`;
}

/** No way of writing but that of bytes changes these. */
const plain = /^[A-Za-z0-9]*$/;
const notAscii = /[\x7f-\uffff]/g;
const notAsciiCharacter = /[\u{80}-\u{10ffff}]/gu;
const control = /[^\P{Cc}\x80-\x9f]/gu;
const shortEscapes: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);
const ansiEscapes: ReadonlyMap<string, string> = new Map([
  ...shortEscapes,
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\x1b", "\\E"],
  ["\f", "\\f"],
  ["\v", "\\v"],
]);
