/** Why a text isn't taken. It says lines, and keys that are there twice, but no values: these may be secret. */
export class YamlProblem extends Error {
  /** From 1. */
  readonly line: number;
  readonly what: string;
  readonly document: number | undefined;

  constructor(options: { line: number; what: string; document?: number | undefined }) {
    const { line, what, document } = options;
    super(`${document === undefined ? "" : `document ${document}, `}line ${line}: ${what}`);
    this.line = line;
    this.what = what;
    this.document = document;
  }
}
