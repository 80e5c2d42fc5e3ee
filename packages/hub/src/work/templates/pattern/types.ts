/** A pattern as it is written. */
export type PatternNode =
  | { readonly is: "one"; readonly set: CharacterSet }
  | { readonly is: "begin" }
  | { readonly is: "end" }
  | { readonly is: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly is: "choice"; readonly choices: readonly PatternNode[] }
  /** `most` undefined: as often as it goes. */
  | { readonly is: "repeat"; readonly part: PatternNode; readonly least: number; readonly most: number | undefined };

export interface CharacterSet {
  /** First and last code points. */
  readonly ranges: readonly (readonly [number, number])[];
  /** All that are not in it. */
  readonly isNegated: boolean;
}

/** Why a text isn't a pattern. */
export class PatternProblem extends Error {}
