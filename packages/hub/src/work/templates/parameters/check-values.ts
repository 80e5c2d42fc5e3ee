// Whether values are what a schema says, and what they are with its defaults. Nothing is turned into another type. Pure.

import { isDeepStrictEqual } from "node:util";
import { templateLimits } from "@fairlead/contract";
import { isNestedDeeper } from "@fairlead/kernel";
import type { Problem } from "../problems.ts";
import { findReference } from "../rendering/index.ts";
import type { ObjectRules, ParametersSchema, ValueRules, ValueSchema } from "./types.ts";

type Path = readonly (string | number)[];

export interface Checked {
  /** With defaults. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
}

/** All values of a use. */
export function checkValues(schema: ParametersSchema, values: Readonly<Record<string, unknown>>): Checked {
  const { depth, valueBytes } = templateLimits;
  const refuse = (message: string): Checked => ({ value: {}, problems: [{ path: [], message }] });
  if (isNestedDeeper(values, depth)) return refuse(`they are deeper than ${depth}`);
  if (Buffer.byteLength(JSON.stringify(values)) > valueBytes) return refuse(`they have more than ${valueBytes} bytes`);
  return checkValue(schema, values, []);
}

export function checkValue(schema: ValueSchema, value: unknown, path: Path): Checked {
  const problems: Problem[] = [];
  const checked = check(schema, value, path);
  return { value: checked, problems };

  function check(rules: ValueSchema, one: unknown, at: Path): unknown {
    if (problems.length > mostProblems) return one;
    if (!isOfType(rules.type, one)) return refuse(at, `must be ${articled[rules.type]}`);
    const found = rules.type === "object" ? checkMembers(rules, one as object, at) : one;
    if (rules.choices && !rules.choices.some((choice) => isDeepStrictEqual(choice, found)))
      return refuse(at, `must be one of ${rules.choices.map((choice) => clip(JSON.stringify(choice))).join(", ")}`);
    switch (rules.type) {
      case "string":
        return checkText(rules, one as string, at);
      case "array":
        return checkItems(rules, one as readonly unknown[], at);
      case "integer":
      case "number":
        return checkNumber(rules, one as number, at);
      case "boolean":
      case "object":
        return found;
    }
  }

  function checkText(rules: ValueRules & { readonly type: "string" }, text: string, at: Path): string {
    const length = text.length > 2 * rules.most ? text.length : Array.from(text).length;
    if (length < rules.least) refuse(at, `must have ${rules.least} characters at least`);
    else if (length > rules.most) refuse(at, `must have ${rules.most} characters at most`);
    else if (rules.pattern && !rules.pattern.matches(text)) refuse(at, `must match ${rules.patternText}`);
    const reference = findReference(text);
    if (reference !== undefined) refuse(at, `has a ${reference}…, which only the template itself may have`);
    return text;
  }

  function checkNumber(rules: ValueRules & { readonly type: "integer" | "number" }, value: number, at: Path): number {
    const { minimum, maximum, above, below, multipleOf } = rules;
    if (minimum !== undefined && value < minimum) refuse(at, `must be ${minimum} at least`);
    if (maximum !== undefined && value > maximum) refuse(at, `must be ${maximum} at most`);
    if (above !== undefined && value <= above) refuse(at, `must be more than ${above}`);
    if (below !== undefined && value >= below) refuse(at, `must be less than ${below}`);
    if (multipleOf !== undefined && !isMultiple(value, multipleOf)) refuse(at, `must be a multiple of ${multipleOf}`);
    return value;
  }

  function checkItems(
    rules: ValueRules & { readonly type: "array" },
    items: readonly unknown[],
    at: Path,
  ): readonly unknown[] {
    if (items.length < rules.least) refuse(at, `must have ${rules.least} items at least`);
    if (items.length > rules.most) refuse(at, `must have ${rules.most} items at most`);
    const checkedItems = items.map((item, index) => check(rules.items, item, [...at, index]));
    if (rules.isUnique && new Set(checkedItems.map((item) => JSON.stringify(item))).size < items.length)
      refuse(at, "must have different items");
    return checkedItems;
  }

  function checkMembers(rules: ObjectRules, object: object, at: Path): unknown {
    const members = new Map(Object.entries(object));
    if (members.size > rules.most) refuse(at, `must have ${rules.most} members at most`);
    const found: [string, unknown][] = [];
    for (const [name, value] of members) {
      const member = rules.properties.get(name) ?? rules.others;
      if (!member) refuse([...at, name], "isn't known");
      else found.push([name, check(member, value, [...at, name])]);
      if (findReference(name) !== undefined) refuse([...at, name], "can't be a name");
    }
    for (const [name, { default: value }] of rules.properties) {
      if (members.has(name)) continue;
      if (value !== undefined) found.push([name, value]);
      else if (rules.required.has(name)) refuse([...at, name], "is missing");
    }
    return Object.fromEntries(found);
  }

  function refuse(at: Path, message: string): undefined {
    problems.push({ path: at, message });
  }
}

function isOfType(type: ValueRules["type"], value: unknown): boolean {
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
  }
}

function isMultiple(value: number, of: number): boolean {
  const times = value / of;
  return Math.abs(times - Math.round(times)) < 1e-9;
}

function clip(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}…` : text;
}

const articled: Readonly<Record<ValueRules["type"], string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};
const mostProblems = 100;
