// Whether an object is as awaited. Pure.
import { Fields, type KubeObject } from "@fairlead/kube";
import { judgeReadiness } from "../../manifests/readiness/judge.ts";
import { valueAt } from "../values/field-path.ts";
import type { FieldTest, Until } from "./types.ts";

/** Undefined when it is; otherwise what it lacks. No value of the object is in it but those of its conditions. */
export function findLack(object: KubeObject, until: Until): string | undefined {
  switch (until.is) {
    case "deleted":
      return new Fields(object).at("metadata", "deletionTimestamp").exists ? "it is being deleted" : "it is there";
    case "ready": {
      const readiness = judgeReadiness(object);
      return readiness.type === "ready" ? undefined : readiness.message;
    }
    case "condition":
      return lackOfCondition(new Fields(object), until);
    case "field":
      return isMet(valueAt(object, until.path), until.test) ? undefined : `${until.text} isn't so yet`;
  }
}

function lackOfCondition(object: Fields, { type, status }: Extract<Until, { is: "condition" }>): string | undefined {
  // A condition that a controller set for an earlier spec says nothing about this one.
  if (!object.isObserved) return "its controller hasn't seen its last change yet";
  const condition = object.condition(type);
  if (condition === undefined) return `it has no condition ${type} yet`;
  if (condition.status === status) return undefined;
  return `its condition ${type} is ${condition.status}${condition.message ? ` (${condition.message})` : ""}`;
}

function isMet(value: unknown, test: FieldTest): boolean {
  switch (test.is) {
    case "exists":
      return (value !== undefined && value !== null) === test.wanted;
    case "equals":
      return (value ?? null) === test.value;
    case "matches":
      return typeof value === "string" && matchesPattern(value, test.pattern);
  }
}

/** Piece by piece from the left: no pattern makes it slow. */
export function matchesPattern(text: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}
