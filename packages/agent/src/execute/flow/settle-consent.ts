// A step that couldn't be planned before the flow began is planned when the flow comes to it. People are asked again
// before it changes anything.
import { type FairleadError, isFairleadError, sleep, toFairleadError } from "@fairlead/kernel";
import { executeErrors } from "../errors.ts";
import { digestOfPlan } from "../plan-digest.ts";
import type { PlanResult } from "../types.ts";
import { flowErrors } from "./errors.ts";
import type { StepOutcome } from "./expression/types.ts";
import { fitPlans } from "./plan.ts";
import type { Play } from "./play-step.ts";
import { isCancel, openStepSignals, type StepSignals } from "./step-signals.ts";
import { stepTask } from "./step-task.ts";

export type Consent =
  | { readonly is: "given" }
  | { readonly is: "asked"; readonly plan: PlanResult }
  | { readonly is: "missing"; readonly outcome: StepOutcome; readonly error: FairleadError };

/** Rejects only when the flow itself is interrupted: another claim goes on. */
export async function settleConsent(play: Play): Promise<Consent> {
  const { task, record, progress, step, index } = play;
  const state = record.at(index);
  // A wait changes nothing.
  if (task.approvedDigest === undefined || step.kind === "wait" || state.is !== "pending") return given;
  const { approvedDigest, asked } = state;
  if (approvedDigest !== undefined) return given;
  if (asked !== undefined && asked.own === task.approvedDigest) return await keepConsent(play, asked.digest);
  if (asked !== undefined && progress.isCancelled) return missing("skipped", flowErrors.FLOW_STEP_UNAPPROVED());
  using signals = openStepSignals({ task, isCleanup: step.isCleanup, leftMs: step.timeoutMs });
  const planned = await planWithRetries(play, signals);
  if (planned.failure !== undefined) return toMissing(planned.failure, play, signals);
  if (planned.isEmpty) return await keepConsent(play, planned.digest);
  if (progress.isCancelled) return missing("skipped", flowErrors.FLOW_STEP_UNAPPROVED());
  const own = digestOfPlan(task.spec.name, index, step.text, planned.digest);
  // The kind may have written what it needs to carry the plan out.
  const kept = record.at(index);
  if (kept.is === "pending") await record.set(index, { ...kept, asked: { digest: planned.digest, own } });
  task.log.line(`step ${step.id} waits for approval of its plan`);
  return { is: "asked", plan: { json: describeRound(play, planned.json), digest: own, isEmpty: false } };
}

async function keepConsent({ record, index }: Play, approvedDigest: string): Promise<Consent> {
  const state = record.at(index);
  if (state.is === "pending") await record.set(index, { is: "pending", state: state.state, approvedDigest });
  return given;
}

type Planned = Omit<PlanResult, "failure"> & { readonly failure?: FairleadError | undefined };

async function planWithRetries(play: Play, { signal, forced }: StepSignals): Promise<Planned> {
  const { task, step } = play;
  for (let attempt = 1; ; attempt++) {
    task.log.line(`step ${step.id} (${step.kind}) is planned`);
    const planned = await planOnce(play, { signal, forced });
    if (planned.failure === undefined || attempt >= step.attempts || signal.aborted) return planned;
    task.log.line(`step ${step.id}: attempt ${attempt} of ${step.attempts} failed: ${planned.failure.message}`);
    await sleep(step.delayMs, { clock: task.clock, signal }).catch(() => undefined);
  }
}

async function planOnce(play: Play, signals: Pick<StepSignals, "signal" | "forced">): Promise<Planned> {
  const { task, progress, step } = play;
  const { runner, template, earlier } = step;
  try {
    signals.signal.throwIfAborted();
    const spec = runner.parse(template.fill({ earlier, lookUp: (value) => progress.outputOf(value) }));
    return await runner.plan(stepTask({ ...play, spec, signals }));
  } catch (error) {
    if (executeErrors.is(error, "COMMAND_LEASE_LOST", "COMMAND_AGENT_STOPS")) throw error;
    const { signal } = signals;
    const isEnded = error instanceof Error && (error.name === "AbortError" || error === signal.reason);
    const isMeant = signal.aborted && (isEnded || (isFairleadError(error) && error.cause === signal.reason));
    if (isMeant && !isCancel(signal.reason)) throw signal.reason;
    task.mayAct({ repair: true });
    return { json: undefined, digest: "", isEmpty: false, failure: toFairleadError(isMeant ? signal.reason : error) };
  }
}

function toMissing(failure: FairleadError, { step, progress }: Play, { isTimedOut }: StepSignals): Consent {
  if (!isCancel(failure)) return missing("failed", failure);
  if (isTimedOut) return missing("failed", flowErrors.FLOW_STEP_TIMEOUT({ seconds: step.timeoutMs / 1_000 }));
  return missing(progress.isCancelled ? "skipped" : "failed", failure);
}

/** What people are shown: how far the flow came, what this step would do, and what is still to come. */
function describeRound({ task, record, index: now }: Play, plan: unknown): object {
  const steps = task.spec.steps.map(({ id, kind, conditionText }, index) => {
    const about = { id, kind, ...(conditionText !== undefined && { if: conditionText }) };
    if (index === now) return { ...about, known: true, isEmpty: false, plan };
    const state = record.at(index);
    if (state.is === "ended") return { ...about, outcome: state.outcome };
    const isApproved = state.approvedDigest !== undefined || kind === "wait";
    return isApproved
      ? { ...about, known: true, isApproved }
      : { ...about, known: false, why: "it is planned when the flow reaches it" };
  });
  return { steps: fitPlans(steps) };
}

function missing(outcome: StepOutcome, error: FairleadError): Consent {
  return { is: "missing", outcome, error };
}

const given: Consent = { is: "given" };
