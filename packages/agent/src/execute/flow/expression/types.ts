import type { StepValue } from "../values/step-value.ts";

export type Status = "success" | "failure" | "cancelled" | "always";
export type Scalar = string | number | boolean | null;
export type Comparison = "==" | "!=" | "<" | ">";

export type Expression =
  | { readonly is: "literal"; readonly value: Scalar }
  | { readonly is: "status"; readonly status: Status }
  | { readonly is: "step"; readonly value: StepValue }
  | { readonly is: "not"; readonly operand: Expression }
  | { readonly is: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | {
      readonly is: "compare";
      readonly operator: Comparison;
      readonly left: Expression;
      readonly right: Expression;
    };

/** `any` is what an output may be. */
export type ExpressionType = "boolean" | "string" | "number" | "null" | "any";

export type StepOutcome = "succeeded" | "failed" | "skipped" | "cancelled";
export const stepOutcomes: readonly StepOutcome[] = ["succeeded", "failed", "skipped", "cancelled"];
