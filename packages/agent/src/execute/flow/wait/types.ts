import type { FieldPath } from "../values/field-path.ts";

export interface WaitSpec {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  /** Either a name or a selector is given. */
  readonly name: string | undefined;
  readonly selector: string | undefined;
  readonly until: Until;
  readonly timeoutMs: number;
  readonly outputs: readonly WaitOutput[];
}

export interface WaitOutput {
  readonly name: string;
  readonly path: FieldPath;
}

export type Until =
  | { readonly is: "ready" }
  | { readonly is: "deleted" }
  | { readonly is: "condition"; readonly type: string; readonly status: string }
  | { readonly is: "field"; readonly text: string; readonly path: FieldPath; readonly test: FieldTest };

export type FieldTest =
  | { readonly is: "equals"; readonly value: string | number | boolean | null }
  | { readonly is: "exists"; readonly wanted: boolean }
  /** A text with `*` for any run of characters. */
  | { readonly is: "matches"; readonly pattern: string };
