/** Takes a text apart from left to right. Patterns are sticky. */
export class Scanner {
  readonly fail: (why: string) => Error;
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string, fail: (why: string) => Error) {
    this.#text = text;
    this.fail = fail;
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

  /** Takes a text in quotes of either kind, without them. */
  takeQuoted(): string | undefined {
    const quoted = this.take(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/y);
    return quoted?.slice(1, -1).replace(/\\(.)/g, (_, character: string) => escapes[character] ?? character);
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

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
/** Each level is a call inside another one. */
const deepest = 32;
