/** Takes a text apart from left to right. Patterns are sticky. */
export class Scanner {
  readonly fail: (why: string) => Error;
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #steps = 0;

  constructor(text: string, fail: (why: string) => Error) {
    this.#text = text;
    this.fail = fail;
  }

  /** Takes another text apart, which stands where this one is. */
  over(text: string): Scanner {
    const scanner = new Scanner(text, this.fail);
    scanner.#depth = this.#depth;
    scanner.#steps = this.#steps;
    return scanner;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Reads what lies inside of something else, as long as the text isn't nested without end. */
  inside<Read>(read: () => Read): Read {
    if (this.#depth === deepest) throw this.fail("it is nested too deeply");
    this.#depth += 1;
    const found = read();
    this.#depth -= 1;
    return found;
  }

  /** Reads the steps of one query, of which the next one says when it begins: together they mustn't be too many. */
  inSteps<Read>(read: (next: () => void) => Read): Read {
    const outer = this.#steps;
    const found = read(() => {
      this.#steps += 1;
      if (this.#steps > mostSteps) throw this.fail("it has too many steps");
    });
    this.#steps = outer;
    return found;
  }

  sees(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  takeUntil(character: string): string {
    const end = this.#text.indexOf(character, this.#at);
    const text = this.#text.slice(this.#at, end < 0 ? undefined : end);
    this.#at += text.length;
    return text;
  }

  /** Takes a text in quotes of either kind, without them. Escapes are Go's. */
  takeQuoted(): string | undefined {
    const quoted = this.take(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/y);
    return quoted?.slice(1, -1).replace(escaped, (_, code: string, octal: string, other: string) => {
      if (other !== undefined) return escapes[other] ?? other;
      const point = code === undefined ? Number.parseInt(octal, 8) : Number.parseInt(code.slice(1), 16);
      return point > 0x10ffff ? "\ufffd" : String.fromCodePoint(point);
    });
  }

  skipSpaces(): void {
    this.take(/\s*/y);
  }

  expect(character: string): void {
    if (this.#text[this.#at] !== character) throw this.unexpected(character);
    this.#at += 1;
  }

  unexpected(wanted?: string): Error {
    const rest = this.#text.slice(this.#at, this.#at + 12);
    const seen = rest === "" ? "its end" : `'${rest}'`;
    return this.fail(wanted === undefined ? `${seen} wasn't expected` : `there is ${seen} instead of '${wanted}'`);
  }
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
};
const escaped = /\\(?:(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})|([0-7]{3})|(.))/gs;
/** Each level is a call inside another one. */
const deepest = 32;
/** Whoever follows a step waits for the one before, in a call inside another one; so do filters inside of steps. */
const mostSteps = 512;
