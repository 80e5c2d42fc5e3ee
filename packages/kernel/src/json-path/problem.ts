/** Why a text isn't a template or a path, and what one looks like. */
export class JsonPathProblem extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
