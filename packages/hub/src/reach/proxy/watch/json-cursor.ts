/** Goes through JSON by its bytes, and decodes only what is asked for. Throws at bytes that aren't JSON. */
export class JsonCursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The names of the object here. Between two of them the value has to be read or passed over. */
  *members(): Generator<string> {
    this.#expect(openBrace);
    if (this.#peek() === closeBrace) {
      this.#at += 1;
      return;
    }
    for (;;) {
      this.#peek();
      const from = this.#at + 1;
      this.#skipText();
      const name = this.#bytes.toString("latin1", from, this.#at - 1);
      this.#expect(colon);
      yield name;
      const byte = this.#peek();
      this.#at += 1;
      if (byte === closeBrace) return;
      if (byte !== comma) throw broken();
    }
  }

  /** The string here; undefined for another value, which is passed over. */
  text(): string | undefined {
    if (this.#peek() !== quote) {
      this.skip();
      return undefined;
    }
    const from = this.#at;
    this.#skipText();
    return JSON.parse(this.#bytes.toString("utf8", from, this.#at)) as string;
  }

  skip(): void {
    this.#peek();
    for (let depth = 0; ; ) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw broken();
      if (byte === quote) {
        this.#skipText();
        if (depth === 0) return;
        continue;
      }
      const isClosing = byte === closeBrace || byte === closeBracket;
      if (depth === 0 && (isClosing || byte === comma)) return;
      this.#at += 1;
      if (byte === openBrace || byte === openBracket) depth += 1;
      if (isClosing) {
        depth -= 1;
        if (depth === 0) return;
      }
    }
  }

  #skipText(): void {
    if (this.#bytes[this.#at] !== quote) throw broken();
    let end = this.#at;
    do {
      end = this.#bytes.indexOf(quote, end + 1);
      if (end < 0) throw broken();
    } while (this.#isEscaped(end));
    this.#at = end + 1;
  }

  #isEscaped(at: number): boolean {
    let from = at;
    while (this.#bytes[from - 1] === backslash) from -= 1;
    return (at - from) % 2 === 1;
  }

  #expect(byte: number): void {
    if (this.#peek() !== byte) throw broken();
    this.#at += 1;
  }

  /** The next byte that isn't a space. */
  #peek(): number | undefined {
    while (spaces.has(this.#bytes[this.#at] ?? 0)) this.#at += 1;
    return this.#bytes[this.#at];
  }
}

function broken(): Error {
  return new Error("not JSON");
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const spaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
