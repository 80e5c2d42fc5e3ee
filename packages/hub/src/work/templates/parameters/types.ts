import type { Pattern } from "@fairlead/kernel/pattern";

/** A JSON Schema of those that templates may have, read. */
export type ValueSchema = Readonly<ValueSchemaFields> & ValueRules;

interface ValueSchemaFields {
  default: unknown;
  /** Undefined: any of its type. */
  choices: readonly unknown[] | undefined;
}

export type ValueRules = TextRules | NumberRules | { readonly type: "boolean" } | ListRules | ObjectRules;

interface TextRules {
  readonly type: "string";
  /** Characters. */
  readonly least: number;
  readonly most: number;
  readonly pattern: Pattern | undefined;
  /** As it is written. */
  readonly patternText: string | undefined;
}

interface NumberRules {
  readonly type: "integer" | "number";
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly above: number | undefined;
  readonly below: number | undefined;
  readonly multipleOf: number | undefined;
}

interface ListRules {
  readonly type: "array";
  readonly items: ValueSchema;
  readonly least: number;
  readonly most: number;
  readonly isUnique: boolean;
}

export interface ObjectRules {
  readonly type: "object";
  readonly properties: ReadonlyMap<string, ValueSchema>;
  readonly required: ReadonlySet<string>;
  /** The schema of other members; undefined: none are allowed. */
  readonly others: ValueSchema | undefined;
  readonly most: number;
}

export type ParametersSchema = ValueSchema & ObjectRules;
