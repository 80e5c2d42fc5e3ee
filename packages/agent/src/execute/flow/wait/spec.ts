import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import { executeErrors } from "../../errors.ts";
import { parseFieldPath } from "../values/field-path.ts";
import { SyntaxProblem } from "../values/scanner.ts";
import type { FieldTest, Until, WaitSpec } from "./types.ts";

/** Throws COMMAND_SPEC_INVALID. */
export function parseWaitSpec(value: unknown): WaitSpec {
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw invalid(describe(parsed.error));
  const { apiVersion, kind, namespace, name, selector, until, timeoutSeconds, outputs } = parsed.data;
  if ((name === undefined) === (selector === undefined)) throw invalid("it must have either a name or a selector");
  const spec: WaitSpec = {
    apiVersion,
    kind,
    namespace,
    name,
    selector,
    until: toUntil(until),
    timeoutMs: timeoutSeconds * 1_000,
    outputs: Object.entries(outputs).map(([output, path]) => ({ name: output, path: readPath(path) })),
  };
  if (spec.until.is === "deleted" && spec.outputs.length > 0) throw invalid("a deleted object has no outputs");
  if (apiVersion === "v1" && kind === "Secret") requireBlind(spec);
  return spec;
}

/** A wait tells what it sees: values of Secrets stay where they are. */
function requireBlind({ until, outputs }: WaitSpec): void {
  if (outputs.length > 0) throw invalid("a Secret has no outputs; refer to its values");
  if (until.is === "field" && until.test.is !== "exists")
    throw invalid("a wait for a Secret's field supports only exists");
}

function toUntil(until: GivenUntil): Until {
  if (typeof until === "string") return { is: until };
  if ("condition" in until) return { is: "condition", type: until.condition, status: until.status };
  const { field, ...tests } = until;
  const [given, ...others] = Object.entries(tests).filter(([, wanted]) => wanted !== undefined);
  if (given === undefined || others.length > 0) throw invalid("until.field needs one of equals, exists and matches");
  return { is: "field", text: field, path: readPath(field), test: toTest(until) };
}

function toTest({ equals, exists, matches }: GivenField): FieldTest {
  if (exists !== undefined) return { is: "exists", wanted: exists };
  if (matches !== undefined) return { is: "matches", pattern: matches };
  return { is: "equals", value: equals ?? null };
}

function readPath(text: string): ReturnType<typeof parseFieldPath> {
  try {
    return parseFieldPath(text);
  } catch (error) {
    if (error instanceof SyntaxProblem) throw invalid(`the path ${text.slice(0, 100)}: ${error.message}`);
    throw error;
  }
}

function invalid(detail: string): Error {
  return executeErrors.COMMAND_SPEC_INVALID({ detail });
}

function describe({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join(".");
  return `${path ? `${path}: ` : ""}${issue?.message ?? "it isn't as specs of a wait are"}`;
}

const path = z.string().min(1).max(500);
const fieldShape = z.strictObject({
  field: path,
  equals: z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]).optional(),
  exists: z.boolean().optional(),
  matches: z.string().max(200).optional(),
});
type GivenField = z.infer<typeof fieldShape>;
const untilShape = z.union(
  [
    z.enum(["ready", "deleted"]),
    z.strictObject({
      condition: z.string().min(1).max(316),
      status: z.enum(["True", "False", "Unknown"]).default("True"),
    }),
    fieldShape,
  ],
  "it is ready, deleted, {condition, status} or {field} with one of equals, exists and matches",
);
type GivenUntil = z.infer<typeof untilShape>;

const shape = z.strictObject({
  apiVersion: z.string().regex(/^(?:[a-z0-9.-]+\/)?[a-z0-9]+$/, "it is no version, such as apps/v1"),
  kind: z.string().regex(/^[A-Za-z0-9]{1,63}$/, "it is no kind, such as Deployment"),
  namespace: z.string().refine(isDnsLabel, "it isn't a DNS label").default("default"),
  name: z
    .string()
    .max(253)
    .regex(/^(?!\.{1,2}$)[^/%]+$/, "it is no name of an object")
    .optional(),
  selector: z.string().min(1).max(1_000).optional(),
  until: untilShape,
  timeoutSeconds: z.number().min(1).max(86_400).default(300),
  outputs: z
    .record(z.string().regex(/^[A-Za-z_][\w-]{0,62}$/, "it is no name of an output"), path)
    .refine((outputs) => Object.keys(outputs).length <= 50, "there are 50 at most")
    .default({}),
});
