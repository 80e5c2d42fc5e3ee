export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "query"; readonly query: Query }
  | { readonly type: "range"; readonly query: Query; readonly body: readonly Part[] };

export interface Query {
  /** `$` is the whole document; everything else begins at what is being looked at. */
  readonly isFromRoot: boolean;
  readonly steps: readonly Step[];
}

export type Step =
  | { readonly type: "member"; readonly name: string }
  | { readonly type: "all" }
  /** Itself and everything below. */
  | { readonly type: "descend" }
  | { readonly type: "slice"; readonly from?: number; readonly to?: number; readonly step: number }
  | { readonly type: "index"; readonly index: number }
  | { readonly type: "union"; readonly steps: readonly Step[] }
  | { readonly type: "filter"; readonly left: Operand; readonly test?: { readonly operator: string; right: Operand } };

export type Operand =
  | { readonly type: "query"; readonly query: Query }
  | { readonly type: "value"; readonly value: string | number | boolean | null };
