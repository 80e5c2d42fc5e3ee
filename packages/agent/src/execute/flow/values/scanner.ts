// Reads small languages from left to right.

/** Says what is wrong, and where: the first character is 1. */
export class SyntaxProblem extends Error {
  constructor(what: string, at: number) {
    super(`${what} (at character ${at + 1})`);
    this.name = "SyntaxProblem";
  }
}

export class Scanner {
  readonly text: string;
  at: number;

  constructor(text: string, at = 0) {
    this.text = text;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  skipBlanks(): void {
    while (/\s/.test(this.text.charAt(this.at))) this.at++;
  }

  /** True when these characters stand here; then they are read. */
  take(characters: string): boolean {
    if (!this.text.startsWith(characters, this.at)) return false;
    this.at += characters.length;
    return true;
  }

  /** Takes the text that a sticky pattern matches here. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  fail(what: string, at: number = this.at): never {
    throw new SyntaxProblem(what, at);
  }
}

/** A text in single or double quotes; a backslash takes the next character as it is. */
export function readQuoted(scanner: Scanner): string | undefined {
  const begin = scanner.at;
  const quote = scanner.match(/['"]/y);
  if (quote === undefined) return undefined;
  let text = "";
  for (;;) {
    if (scanner.isAtEnd) scanner.fail("the text has no closing quote", begin);
    if (scanner.take(quote)) return text;
    scanner.take("\\");
    if (scanner.isAtEnd) scanner.fail("the text has no closing quote", begin);
    text += scanner.text.charAt(scanner.at++);
  }
}
