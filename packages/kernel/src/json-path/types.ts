export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "query"; readonly query: Query }
  | { readonly type: "range"; readonly query: Query; readonly body: readonly Part[] };

export interface Query {
  readonly steps: readonly Step[];
}

export type Step =
  /** `$`: the whole document for people; in a printer column it is what is being looked at, as `@` is. */
  | { readonly type: "root" }
  | { readonly type: "member"; readonly name: string }
  /** `['a.b']`: to Kubernetes a path, for people also a name with a dot. `path` is undefined where it isn't one. */
  | { readonly type: "key"; readonly name: string; readonly path: readonly Step[] | undefined }
  | { readonly type: "all" }
  /** Itself and everything below. */
  | { readonly type: "descend" }
  | Slice
  | { readonly type: "union"; readonly branches: readonly (readonly Step[])[] }
  | Filter
  | { readonly type: "value"; readonly value: unknown }
  /** A word that means nothing: an error where Kubernetes evaluates it. */
  | { readonly type: "word"; readonly word: string };

export interface Slice {
  readonly type: "slice";
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly step: number | undefined;
  /** `[3]`: the end follows from the beginning. */
  readonly isSingle: boolean;
}

export interface Filter {
  readonly type: "filter";
  readonly left: readonly Step[];
  readonly test?: { readonly operator: string; readonly right: readonly Step[] };
}
