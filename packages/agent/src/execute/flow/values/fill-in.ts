// Puts what earlier steps gave into the spec of a later one. Pure.
import { flowErrors } from "../errors.ts";
import { readReferences, referenceBegin } from "./references.ts";
import type { StepValue } from "./step-value.ts";

/** An output of a step: a value, or the place of a secret one in the cluster (`${secret:NAMESPACE/NAME/KEY}`). */
export type Output = { readonly value: unknown } | { readonly secret: string };

export interface FillIn {
  readonly earlier: ReadonlySet<string>;
  lookUp(value: StepValue): Output;
}

/** Each text that mentions a step. Throws a SyntaxProblem for a reference that isn't one. */
export function findMentions(value: unknown, earlier: ReadonlySet<string>): ReadonlySet<string> {
  const steps = new Set<string>();
  for (const text of textsOf(value))
    for (const part of readReferences(text, earlier)) if (typeof part !== "string") steps.add(part.step);
  return steps;
}

/** Throws FLOW_OUTPUT_UNUSABLE. */
export function fillIn(value: unknown, how: FillIn): unknown {
  if (typeof value === "string") return fillText(value, how);
  if (Array.isArray(value)) return value.map((item) => fillIn(item, how));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillIn(member, how)]));
}

function fillText(text: string, { earlier, lookUp }: FillIn): unknown {
  if (!text.includes(referenceBegin)) return text;
  const parts = readReferences(text, earlier);
  const [first] = parts;
  // Alone it keeps its type.
  if (parts.length === 1 && first !== undefined && typeof first !== "string") return toValue(lookUp(first));
  return parts.map((part) => (typeof part === "string" ? part : toText(part, lookUp(part)))).join("");
}

function toValue(output: Output): unknown {
  return "secret" in output ? output.secret : inert(output.value);
}

function toText({ text: reference }: StepValue, output: Output): string {
  if ("secret" in output) return output.secret;
  const { value } = output;
  if (typeof value === "string") return inert(value) as string;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const detail = value === null ? "it is null" : `it is ${Array.isArray(value) ? "a list" : "an object"}`;
  throw flowErrors.FLOW_OUTPUT_UNUSABLE({ reference: `\${${reference}}`, detail });
}

/**
 * Makes text that was read in the cluster inert. Anybody may have written it there, and a reference to a Secret in it
 * must not be followed with the rights of the command.
 */
function inert(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/\$\{(?=(?:secret|configmap):)/g, "$$$${");
  if (Array.isArray(value)) return value.map(inert);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inert(member)]));
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null)
    for (const member of Object.values(value)) yield* textsOf(member);
}
