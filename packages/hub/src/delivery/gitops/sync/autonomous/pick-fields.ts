// Takes of what a cluster says the fields that are named, and nothing else. Pure.
import { isNestedDeeper } from "@fairlead/kernel";
import { asFields, type Fields } from "./as-fields.ts";

export type Shape =
  /** A text, number or truth value, or a list of these. */
  | "plain"
  /** Texts by free names. */
  | "texts"
  /** Whatever JSON it is, such as a chart's values. */
  | "any"
  | readonly [Shapes]
  | Shapes;

export interface Shapes {
  readonly [name: string]: Shape;
}

export function pickFields(value: unknown, shapes: Shapes): Fields {
  const fields = asFields(value);
  const picked = Object.entries(shapes).flatMap(([name, shape]) => {
    const field = Object.hasOwn(fields, name) ? pick(fields[name], shape) : undefined;
    return field === undefined ? [] : [[name, field] as const];
  });
  return Object.fromEntries(picked);
}

/** Undefined: it hasn't that shape. */
function pick(value: unknown, shape: Shape): unknown {
  if (value === undefined || value === null) return undefined;
  if (shape === "plain") return isPlain(value) || (Array.isArray(value) && value.every(isPlain)) ? value : undefined;
  if (shape === "any") return isNestedDeeper(value, maxDepth) ? undefined : value;
  if (shape === "texts") return isObject(value) && Object.values(value).every(isPlain) ? value : undefined;
  if (!isList(shape)) return isObject(value) ? pickFields(value, shape) : undefined;
  return Array.isArray(value) ? value.filter(isObject).map((one) => pickFields(one, shape[0])) : undefined;
}

function isList(shape: Shapes | readonly [Shapes]): shape is readonly [Shapes] {
  return Array.isArray(shape);
}

function isPlain(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Values of charts have a dozen levels; whoever writes or compares them goes down all of them. */
const maxDepth = 64;
