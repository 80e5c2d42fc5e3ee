// Plays a step from its beginning to its outcome, with its attempts. If the agent ends in between, the record says
// which attempt it was, and the kind goes on from what it remembers itself.
import { type FairleadError, isFairleadError, sleep, toFairleadError } from "@fairlead/kernel";
import { executeErrors } from "../errors.ts";
import type { RunResult, Task } from "../types.ts";
import { flowErrors } from "./errors.ts";
import type { StepOutcome } from "./expression/types.ts";
import { fitStep } from "./fit-step.ts";
import type { FlowProgress } from "./progress.ts";
import { requireKind } from "./require-kinds.ts";
import type { FlowRecord } from "./state.ts";
import { isCancel, openStepSignals, type StepSignals } from "./step-signals.ts";
import { stepTask } from "./step-task.ts";
import { timeLeftMs } from "./time-left.ts";
import type { FlowSpec, FlowStep } from "./types.ts";

export interface Play {
  readonly task: Task<FlowSpec>;
  readonly record: FlowRecord;
  readonly progress: FlowProgress;
  readonly step: FlowStep;
  readonly index: number;
}

/** Rejects only when the flow itself is interrupted: another claim goes on. */
export async function playStep(play: Play): Promise<void> {
  const { task, record, step, index } = play;
  const { clock, log } = task;
  const before = record.at(index);
  const beganAtMs = before.is === "running" ? before.beganAtMs : clock.now();
  let attempt = before.is === "running" ? before.attempt : 1;
  const leftMs = timeLeftMs({ clock, beganAtMs, timeoutMs: step.timeoutMs });
  using signals = openStepSignals({ task, isCleanup: step.isCleanup, leftMs });
  if (before.is === "pending") await record.set(index, { ...before, is: "running", beganAtMs, attempt });
  log.line(`step ${step.id} (${step.kind}) ${before.is === "running" ? "goes on" : "begins"}`);
  let ended = await attemptOnce(play, signals);
  while (mayRetry(ended) && attempt < step.attempts) {
    log.line(`step ${step.id}: attempt ${attempt} of ${step.attempts} failed: ${describe(ended.failure)}`);
    attempt++;
    const { approvedDigest } = before;
    await record.set(index, { is: "running", beganAtMs, attempt, approvedDigest });
    await sleep(step.delayMs, { clock, signal: signals.signal }).catch(() => undefined);
    // An agent that stops leaves the next attempt to the next one.
    if (signals.signal.aborted && !isCancel(signals.signal.reason)) throw signals.signal.reason;
    if (signals.signal.aborted) break;
    ended = await attemptOnce(play, signals);
  }
  const outcome = outcomeOf(ended, signals);
  const failure = outcome === "failed" ? meant(ended, signals, step) : undefined;
  log.line(`step ${step.id} ${outcome}${failure === undefined ? "" : `: ${describe(failure)}`}`);
  const attempts = { beganAtMs, endedAtMs: clock.now(), attempts: attempt };
  const told = { result: ended.json, failure: outcome === "cancelled" ? ended.failure : failure };
  const { approvedDigest } = before;
  await record.set(index, { ...fitStep({ ...play, outcome, told, attempts }), approvedDigest });
}

interface Ended {
  readonly json?: unknown;
  readonly failure?: FairleadError | undefined;
}

async function attemptOnce(play: Play, signals: StepSignals): Promise<Ended> {
  const { task, progress, record, step, index } = play;
  const { runner, template, earlier } = step;
  const state = record.at(index);
  const slice = record.slice(index);
  try {
    requireKind(task, step.kind);
    // A begun attempt is left to the kind, even after a cancel: it may have something to put right.
    if (slice.read() === undefined) signals.signal.throwIfAborted();
    const spec = runner.parse(template.fill({ earlier, lookUp: (value) => progress.outputOf(value) }));
    const { approvedDigest } = state;
    const result = await runner.run(stepTask({ ...play, spec, signals, approvedDigest }));
    return settle(task, result, signals);
  } catch (error) {
    return settle(task, { json: undefined, failure: toFailure(error, signals) }, signals);
  }
}

/** A wait that was ended by the signal may say so in its own words. */
function toFailure(error: unknown, { signal }: StepSignals): FairleadError {
  const isEnded = error instanceof Error && error.name === "AbortError";
  const isMeant = isEnded || error === signal.reason || (isFairleadError(error) && error.cause === signal.reason);
  return toFairleadError(signal.aborted && isMeant ? signal.reason : error);
}

/** Throws for what isn't the step's end. */
function settle(task: Task<FlowSpec>, { json, failure }: RunResult, { signal }: StepSignals): Ended {
  // The failure doesn't count when the agent stops, or has no right to go on.
  if (failure !== undefined && executeErrors.is(failure, "COMMAND_LEASE_LOST", "COMMAND_AGENT_STOPS")) throw failure;
  if (failure !== undefined && signal.aborted && failure === signal.reason && !isCancel(failure)) throw failure;
  task.mayAct({ repair: true });
  return { json: task.secrets.redact(json), failure };
}

/** A step isn't tried again when it was cancelled, when its plan is stale, or when its kind is unavailable. */
function mayRetry({ failure }: Ended): boolean {
  if (failure === undefined) return false;
  return !executeErrors.is(failure, "COMMAND_CANCELLED", "COMMAND_PLAN_STALE", "COMMAND_KIND_UNAVAILABLE");
}

function outcomeOf({ failure }: Ended, { isTimedOut }: StepSignals): StepOutcome {
  if (failure === undefined) return "succeeded";
  return isCancel(failure) && !isTimedOut ? "cancelled" : "failed";
}

function meant({ failure }: Ended, { isTimedOut }: StepSignals, { timeoutMs }: FlowStep): FairleadError | undefined {
  return isCancel(failure) && isTimedOut ? flowErrors.FLOW_STEP_TIMEOUT({ seconds: timeoutMs / 1_000 }) : failure;
}

function describe(failure: FairleadError | undefined): string {
  return failure === undefined ? "" : `${failure.message} (${failure.code})`;
}
