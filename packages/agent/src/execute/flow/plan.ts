// The plans of those steps that can be planned before any of them has run.
import { isFairleadError, toFairleadError } from "@fairlead/kernel";
import { executeErrors } from "../errors.ts";
import { digestOfPlan } from "../plan-digest.ts";
import type { PlanResult, Task } from "../types.ts";
import { flowErrors } from "./errors.ts";
import { requireKinds } from "./require-kinds.ts";
import { FlowRecord } from "./state.ts";
import { openStepSignals } from "./step-signals.ts";
import { stepTask } from "./step-task.ts";
import type { FlowSpec, FlowStep } from "./types.ts";

export async function planFlow(task: Task<FlowSpec>): Promise<PlanResult> {
  requireKinds(task);
  const record = new FlowRecord(task);
  const { steps, result } = await planSteps(task, record);
  if (!task.isDryRun && !result.isEmpty && result.failure === undefined) await rememberKept(record, steps);
  return result;
}

/** Kinds that keep what they planned can't plan the same again: their digests are of what is kept. */
async function rememberKept(record: FlowRecord, steps: readonly PlannedStep[]): Promise<void> {
  for (const [index, { step, digest, isEmpty }] of steps.entries()) {
    const state = record.at(index);
    const isKept = step.kind === "helm" || (step.kind === "tofu" && !isEmpty);
    if (isKept && digest !== undefined && state.is === "pending" && state.state !== undefined)
      await record.set(index, { ...state, approvedDigest: digest });
  }
}

/** Also what each step's plan is known by. */
export async function planSteps(
  task: Task<FlowSpec>,
  record: FlowRecord,
  { isApproved = false }: { readonly isApproved?: boolean } = {},
): Promise<{ readonly steps: readonly PlannedStep[]; readonly result: PlanResult }> {
  const steps: PlannedStep[] = [];
  for (const [index, step] of task.spec.steps.entries()) {
    const mayBeChanged = steps.some(({ isEmpty }) => !isEmpty);
    const state = record.at(index);
    const kept = isApproved && state.is === "pending" ? state.approvedDigest : undefined;
    // Its kind compares what it kept with the cluster when it comes to it.
    if (kept !== undefined) steps.push({ step, digest: kept, isEmpty: false, json: {} });
    else steps.push(await planStep({ task, record, step, index, mayBeChanged }));
  }
  const failed = steps.find(({ failure }) => failure !== undefined);
  const { code = "", message = "" } = failed?.failure ?? {};
  return {
    steps,
    result: {
      json: { steps: fitPlans(steps.map(({ json }) => json)) },
      digest: digestOfPlan(
        task.spec.name,
        steps.map(({ step, digest = null }) => [step.text, digest]),
      ),
      isEmpty: steps.every(({ isEmpty }) => isEmpty),
      failure:
        failed && flowErrors.FLOW_STEP_FAILED({ step: failed.step.id, reason: message.replace(/\.$/, ""), code }),
    },
  };
}

/** As many as the hub keeps; the digest is of all. */
export function fitPlans(steps: readonly object[]): readonly object[] {
  let leftBytes = planBytes;
  return steps.map((step) => {
    const size = Buffer.byteLength(JSON.stringify(step));
    if (!("plan" in step) || size <= leftBytes) {
      leftBytes -= size;
      return step;
    }
    const { plan: _plan, ...bare } = step;
    return { ...bare, planOmitted: true };
  });
}

const planBytes = 800 * 1024;

export interface PlannedStep {
  readonly step: FlowStep;
  /** Undefined for what isn't known before other steps have run. */
  readonly digest?: string | undefined;
  readonly isEmpty: boolean;
  readonly json: object;
  readonly failure?: PlanResult["failure"];
}

async function planStep(options: {
  readonly task: Task<FlowSpec>;
  readonly record: FlowRecord;
  readonly step: FlowStep;
  readonly index: number;
  /** An earlier step may change what this one finds. */
  readonly mayBeChanged: boolean;
}): Promise<PlannedStep> {
  const { task, record, step, index, mayBeChanged } = options;
  const { id, kind, needs, runner, template, earlier, continueOnError } = step;
  const about = { id, kind, ...(step.conditionText !== undefined && { if: step.conditionText }) };
  const unknown = (why: string): PlannedStep => ({ step, isEmpty: false, json: { ...about, known: false, why } });
  if (needs.size > 0) return unknown(`it uses outputs of ${[...needs].join(", ")}`);
  task.log.line(`step ${id} (${kind}) is planned`);
  using signals = openStepSignals({ task, isCleanup: false, leftMs: step.timeoutMs });
  const spec = runner.parse(template.fill({ earlier, lookUp: () => ({ value: null }) }));
  const planned = await runner.plan(stepTask({ task, step, index, spec, record, signals })).catch((error: unknown) => {
    const failure = toFairleadError(error);
    const isOver = executeErrors.is(failure, "COMMAND_LEASE_LOST", "COMMAND_AGENT_STOPS");
    if (isOver || task.signal.aborted || !isFairleadError(error)) throw error;
    return { json: undefined, digest: undefined, isEmpty: false, failure };
  });
  const { json: plan, digest, isEmpty, failure } = planned;
  if (failure === undefined) return { step, digest, isEmpty, json: { ...about, known: true, isEmpty, plan } };
  const { code, message } = failure;
  const json = { ...about, code, message, ...(plan !== undefined && { plan }) };
  // It may go well when the others have run, such as one that makes its namespace.
  if (mayBeChanged || continueOnError || step.condition !== undefined)
    return {
      step,
      isEmpty: false,
      json: { ...json, known: false, why: "it can't be planned until earlier steps have run" },
    };
  return { step, isEmpty: false, json: { ...json, known: true }, failure };
}
