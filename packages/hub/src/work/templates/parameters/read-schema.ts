// Reads the schema of a template's parameters: a part of JSON Schema that says the type of each value. Unknown keywords
// are refused rather than passed over: their author counts on them.
import { templateLimits } from "@fairlead/contract";
import { type Pattern, PatternProblem, readPattern } from "@fairlead/kernel/pattern";
import type { Problem } from "../problems.ts";
import { checkValue } from "./check-values.ts";
import type { ParametersSchema, ValueRules, ValueSchema } from "./types.ts";

export function readParametersSchema(schema: unknown): {
  readonly schema: ParametersSchema | undefined;
  readonly problems: readonly Problem[];
} {
  const reader = new SchemaReader();
  const read = reader.read(schema, ["parameters"]);
  if (read && read.type !== "object") reader.refuse(["parameters", "type"], "must be object");
  if (read?.type !== "object") return { schema: undefined, problems: reader.problems };
  if (read.others) reader.refuse(["parameters", "additionalProperties"], "can't be: each parameter has a name");
  for (const name of read.properties.keys()) {
    if (!parameterName.test(name))
      reader.refuse(["parameters", "properties", name], "must be a letter, then letters, digits, _ and -, 63 at most");
  }
  const limit = templateLimits.parameters;
  if (read.properties.size > limit) reader.refuse(["parameters", "properties"], `must be ${limit} at most`);
  return { schema: read, problems: reader.problems };
}

type Path = readonly (string | number)[];
type Written = Readonly<Record<string, unknown>>;

class SchemaReader {
  readonly problems: Problem[] = [];
  #count = 0;

  refuse(path: Path, message: string): void {
    this.problems.push({ path, message });
  }

  /** Undefined when it can't be read; then there is a problem. */
  read(written: unknown, path: Path, depth = 0): ValueSchema | undefined {
    if (++this.#count > templateLimits.schemas) {
      if (this.#count === templateLimits.schemas + 1) this.refuse(path, `is one of over ${templateLimits.schemas}`);
      return undefined;
    }
    if (depth > templateLimits.schemaDepth) return this.#fail(path, `is deeper than ${templateLimits.schemaDepth}`);
    if (typeof written !== "object" || written === null || Array.isArray(written))
      return this.#fail(path, "must be a schema");
    const schema = written as Written;
    if (schema["writeOnly"] === true || schema["format"] === "password")
      return this.#fail(path, "can't be a secret: parameters are shown to all who may look at a run");
    const rules = this.#readRules(schema, path, depth);
    if (!rules) return undefined;
    this.#refuseUnknown(schema, rules.type, path);
    for (const note of ["title", "description"])
      if (schema[note] !== undefined && typeof schema[note] !== "string") this.refuse([...path, note], "must be text");
    const read: ValueSchema = { ...rules, choices: undefined, default: undefined };
    const choices = this.#readChoices(schema["enum"], read, path);
    return { ...read, choices, default: this.#readDefault(schema, { ...read, choices }, path) };
  }

  #readRules(schema: Written, path: Path, depth: number): ValueRules | undefined {
    const { type } = schema;
    switch (type) {
      case "string":
        return this.#readText(schema, path);
      case "integer":
      case "number":
        return {
          type,
          minimum: this.#number(schema, "minimum", path),
          maximum: this.#number(schema, "maximum", path),
          above: this.#number(schema, "exclusiveMinimum", path),
          below: this.#number(schema, "exclusiveMaximum", path),
          multipleOf: this.#multiple(schema, path),
        };
      case "boolean":
        return { type };
      case "array": {
        const items = this.read(schema["items"], [...path, "items"], depth + 1);
        const isUnique = this.#flag(schema, "uniqueItems", path);
        return items && { type, items, isUnique, ...this.#counts(schema, ["minItems", "maxItems"], path) };
      }
      case "object":
        return this.#readObject(schema, path, depth);
      default:
        return this.#fail([...path, "type"], `must be one of ${Object.keys(keywords).join(", ")}`);
    }
  }

  #readText(schema: Written, path: Path): ValueRules {
    const { pattern: text } = schema;
    const counts = this.#counts(schema, ["minLength", "maxLength"], path);
    const most = text === undefined ? counts.most : Math.min(counts.most, templateLimits.matchedLength);
    const pattern = this.#pattern(text, [...path, "pattern"]);
    return { type: "string", ...counts, most, pattern, patternText: typeof text === "string" ? text : undefined };
  }

  #readObject(schema: Written, path: Path, depth: number): ValueRules {
    const { properties = {}, required = [], additionalProperties: others = false } = schema;
    const read = new Map<string, ValueSchema>();
    if (typeof properties !== "object" || properties === null || Array.isArray(properties))
      this.refuse([...path, "properties"], "must be schemas by name");
    else
      for (const [name, one] of Object.entries(properties)) {
        const member = this.read(one, [...path, "properties", name], depth + 1);
        if (member) read.set(name, member);
      }
    const names: readonly unknown[] = Array.isArray(required) ? required : [undefined];
    for (const name of names)
      if (typeof name !== "string" || !Object.hasOwn(properties ?? {}, name))
        this.refuse([...path, "required"], "must be a list of names of properties");
    const ofOthers = others === false ? undefined : this.read(others, [...path, "additionalProperties"], depth + 1);
    const { most } = this.#counts(schema, ["minProperties", "maxProperties"], path);
    return { type: "object", properties: read, required: new Set(names as string[]), others: ofOthers, most };
  }

  #readChoices(written: unknown, schema: ValueSchema, path: Path): readonly unknown[] | undefined {
    if (written === undefined) return undefined;
    const isList = Array.isArray(written) && written.length > 0 && written.length <= mostChoices;
    if (!isList) return this.#fail([...path, "enum"], `must be a list of 1 to ${mostChoices} values`);
    for (const [index, choice] of written.entries())
      this.problems.push(...checkValue(schema, choice, [...path, "enum", index]).problems);
    return written;
  }

  #readDefault(written: Written, schema: ValueSchema, path: Path): unknown {
    if (!Object.hasOwn(written, "default")) return undefined;
    const { value, problems } = checkValue(schema, written["default"], [...path, "default"]);
    this.problems.push(...problems);
    return value;
  }

  #refuseUnknown(schema: Written, type: ValueRules["type"], path: Path): void {
    for (const name of Object.keys(schema))
      if (!forAll.includes(name) && !keywords[type].includes(name))
        this.refuse([...path, name], `isn't known for ${type}`);
  }

  #counts(schema: Written, [least, most]: readonly [string, string], path: Path) {
    const ceiling = least === "minLength" ? mostCharacters : mostItems;
    const read = (name: string, unlessTold: number): number => {
      const { [name]: count = unlessTold } = schema;
      if (typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= ceiling) return count;
      this.refuse([...path, name], `must be a whole number, ${ceiling} at most`);
      return unlessTold;
    };
    return { least: read(least, 0), most: read(most, ceiling) };
  }

  #number(schema: Written, name: string, path: Path): number | undefined {
    const { [name]: value } = schema;
    if (value === undefined || typeof value === "number") return value;
    return this.#fail([...path, name], "must be a number");
  }

  #multiple(schema: Written, path: Path): number | undefined {
    const of = this.#number(schema, "multipleOf", path);
    if (of === undefined || of > 0) return of;
    return this.#fail([...path, "multipleOf"], "must be more than 0");
  }

  #flag(schema: Written, name: string, path: Path): boolean {
    const { [name]: value = false } = schema;
    if (typeof value === "boolean") return value;
    this.refuse([...path, name], "must be true or false");
    return false;
  }

  #pattern(source: unknown, path: Path): Pattern | undefined {
    if (source === undefined) return undefined;
    if (typeof source !== "string") return this.#fail(path, "must be text");
    try {
      return readPattern(source, { mostLength: templateLimits.patternLength });
    } catch (error) {
      if (error instanceof PatternProblem) return this.#fail(path, error.message);
      throw error;
    }
  }

  #fail(path: Path, message: string): undefined {
    this.refuse(path, message);
  }
}

const forAll = ["type", "title", "description", "default", "enum", "writeOnly"];
const keywords: Readonly<Record<ValueRules["type"], readonly string[]>> = {
  string: ["minLength", "maxLength", "pattern"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  boolean: [],
  array: ["items", "minItems", "maxItems", "uniqueItems"],
  object: ["properties", "required", "additionalProperties", "maxProperties"],
};
const parameterName = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
const mostChoices = 200;
const mostCharacters = 16_384;
const mostItems = 1_000;
