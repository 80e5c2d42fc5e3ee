import { isDnsLabel, isFairleadError } from "@fairlead/kernel";
import { isCommandKind } from "@fairlead/protocol";
import { z } from "zod";
import { executeErrors } from "../errors.ts";
import { mentions } from "./expression/evaluate.ts";
import { parseExpression } from "./expression/parse.ts";
import type { Expression } from "./expression/types.ts";
import type { FlowSpec, FlowStep, RunnerOf } from "./types.ts";
import { SyntaxProblem } from "./values/scanner.ts";
import { openTemplate } from "./values/template.ts";

/**
 * Everything that can be known before anything is begun is settled here. Throws COMMAND_SPEC_INVALID, and
 * COMMAND_KIND_UNAVAILABLE for a step whose kind this agent doesn't have.
 */
export function parseFlowSpec(value: unknown, runnerOf: RunnerOf): FlowSpec {
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw invalid(describe(parsed.error));
  const { name, namespace, steps } = parsed.data;
  const earlier = new Set<string>();
  return {
    name,
    steps: steps.map((given): FlowStep => {
      const { id } = given;
      if (earlier.has(id)) throw invalid(`two steps have the ID ${id}`);
      const step = inStep(id, () => parseStep(given, { earlier: new Set(earlier), namespace, runnerOf }));
      earlier.add(id);
      return step;
    }),
  };
}

interface Surroundings {
  readonly earlier: ReadonlySet<string>;
  readonly namespace: string | undefined;
  readonly runnerOf: RunnerOf;
}

function parseStep(given: GivenStep, { earlier, namespace, runnerOf }: Surroundings): FlowStep {
  const { id, if: text, continueOnError, always, retry, timeoutSeconds, ...kinds } = given;
  const { kind, runner, spec: own } = chooseKind(kinds, runnerOf);
  const spec = namespace === undefined || own["namespace"] !== undefined ? own : { ...own, namespace };
  checkDepth(spec, maxDepth);
  const condition = text === undefined ? undefined : inExpression(() => parseExpression(text, earlier));
  const template = openTemplate({ kind, spec, earlier });
  const { needs } = template;
  // A spec with outputs of earlier steps in it is read when they are there.
  if (needs.size === 0) runner.parse(template.fill({ earlier, lookUp: () => ({ value: null }) }));
  return {
    id,
    kind,
    runner,
    template,
    earlier,
    needs,
    condition,
    continueOnError,
    text: JSON.stringify(given),
    conditionText: text,
    isAlways: always,
    isCleanup: always || outlastsCancel(condition),
    attempts: retry?.attempts ?? 1,
    delayMs: (retry?.delaySeconds ?? 0) * 1_000,
    timeoutMs: timeoutSeconds * 1_000,
  };
}

function chooseKind(kinds: Readonly<Record<string, unknown>>, runnerOf: RunnerOf) {
  const [kind, ...others] = Object.keys(kinds);
  if (kind === undefined) throw invalid("it has no kind, such as manifests or wait");
  if (others.length > 0) throw invalid(`a step has one kind and no unknown members: ${kind}, ${others[0]}`);
  if (kind === "flow") throw invalid("a flow can't be a step of a flow");
  const runner = runnerOf(kind);
  if (runner === undefined && isCommandKind(kind)) throw executeErrors.COMMAND_KIND_UNAVAILABLE({ kind });
  if (runner === undefined) throw invalid(`steps have no member ${kind}`);
  const spec = kinds[kind];
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) throw invalid(`${kind} isn't an object`);
  return { kind, runner, spec: spec as Readonly<Record<string, unknown>> };
}

function outlastsCancel(condition: Expression | undefined): boolean {
  return condition !== undefined && mentions(condition, ["always", "cancelled"]);
}

function inExpression(read: () => Expression): Expression {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxProblem) throw invalid(`if: ${error.message}`);
    throw error;
  }
}

/** So that what is wrong can be found. */
function inStep(id: string, work: () => FlowStep): FlowStep {
  try {
    return work();
  } catch (error) {
    if (error instanceof SyntaxProblem) throw invalid(`step ${id}: ${error.message}`);
    if (!isFairleadError(error) || executeErrors.is(error, "COMMAND_KIND_UNAVAILABLE")) throw error;
    throw invalid(`step ${id}: ${error.message.replace(ownBegin, "").replace(/\.$/, "")}`);
  }
}

function checkDepth(value: unknown, left: number): void {
  if (left === 0) throw invalid(`its spec is nested more than ${maxDepth} deep`);
  if (typeof value === "object" && value !== null)
    for (const member of Object.values(value)) checkDepth(member, left - 1);
}

function invalid(detail: string): Error {
  return executeErrors.COMMAND_SPEC_INVALID({ detail });
}

function describe({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join(".");
  return `${path ? `${path}: ` : ""}${issue?.message ?? "it isn't as specs are"}`;
}

const label = z.string().refine(isDnsLabel, "it is no DNS label (a-z, 0-9 and -, at most 63)");

const stepShape = z.looseObject({
  id: z.string().regex(/^[a-z](?:[-a-z0-9]{0,38}[a-z0-9])?$/, "it has a-z, 0-9 and -, begins by a letter, 40 at most"),
  if: z.string().optional(),
  continueOnError: z.boolean().default(false),
  always: z.boolean().default(false),
  retry: z
    .strictObject({ attempts: z.int().min(1).max(10), delaySeconds: z.number().min(0).max(3_600).optional() })
    .optional(),
  timeoutSeconds: z.number().min(1).max(86_400).default(3_600),
});
type GivenStep = z.infer<typeof stepShape>;

const shape = z.strictObject({
  name: label,
  namespace: label.optional(),
  steps: z.array(stepShape).min(1, "a flow has a step at least").max(50, "a flow has 50 steps at most"),
});

const ownBegin = /^The command's spec isn't valid: /;
const maxDepth = 100;
