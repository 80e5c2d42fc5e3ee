import { Fields, findNearest } from "@fairlead/kernel";
import type { z } from "zod";
import { profileJsonSchema } from "./profile-schema.ts";

/** A mistake that the schema found, in words, and where it is. */
export interface ExplainedIssue {
  readonly path: readonly PropertyKey[];
  readonly mistake: string;
}

export function explainIssue(issue: z.core.$ZodIssue | undefined): ExplainedIssue {
  const path = issue?.path ?? [];
  const place = path.join(".") || "the profile";
  if (issue?.code === "unrecognized_keys") return explainUnknownField(path, place, issue.keys[0] ?? "");
  return { path, mistake: `${place}: expected ${expectedBy(issue)}` };
}

export function oneOf(values: readonly string[]): string {
  return values.length === 1 ? `'${values[0]}'` : `one of ${values.map((value) => `'${value}'`).join(", ")}`;
}

function expectedBy(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === "invalid_value") return oneOf(issue.values.map(String));
  if (issue?.code === "invalid_type") return words[issue.expected] ?? issue.expected;
  if (issue?.code === "too_big") return `at most ${issue.maximum}${unitOf(issue.origin)}`;
  if (issue?.code === "too_small") return `at least ${issue.minimum}${unitOf(issue.origin)}`;
  return issue?.message ?? "something else";
}

function explainUnknownField(path: readonly PropertyKey[], place: string, written: string): ExplainedIssue {
  const names = fieldsAt(path);
  const meant = findNearest(written, names);
  const advice = meant === undefined ? `expected ${oneOf(names)}` : `did you mean '${meant}'?`;
  return { path: [...path, written], mistake: `${place} has no field '${written.slice(0, 80)}'; ${advice}` };
}

function fieldsAt(path: readonly PropertyKey[]): string[] {
  const steps = path.flatMap((step) => (typeof step === "number" ? ["items"] : ["properties", String(step)]));
  return new Fields(profileJsonSchema)
    .at(...steps, "properties")
    .entries()
    .map(([name]) => name);
}

const words: Readonly<Record<string, string>> = {
  string: "a text",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
  array: "a list",
  object: "a map",
  record: "a map of texts",
};

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " entries" : "";
}
