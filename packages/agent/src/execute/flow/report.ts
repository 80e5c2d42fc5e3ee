import type { FairleadError } from "@fairlead/kernel";
import { executeErrors } from "../errors.ts";
import type { RunResult, Task } from "../types.ts";
import { flowErrors } from "./errors.ts";
import type { FlowProgress } from "./progress.ts";
import type { EndedStep, FlowRecord } from "./state.ts";
import type { FlowSpec, FlowStep } from "./types.ts";

/** Reports the outcome of each step and of the whole flow. */
export function reportFlow(options: {
  readonly task: Task<FlowSpec>;
  readonly record: FlowRecord;
  readonly progress: FlowProgress;
}): RunResult {
  const { task, record, progress } = options;
  const ended = task.spec.steps.flatMap((step, index) => {
    const state = record.ended(index);
    return state === undefined ? [] : [{ step, state }];
  });
  let leftBytes = outputBytes;
  const steps = ended.map(({ step, state }) => {
    const size = Buffer.byteLength(JSON.stringify(state.outputs));
    const isFitting = size <= leftBytes;
    if (isFitting) leftBytes -= size;
    return toJson(step, state, isFitting);
  });
  return { json: { steps }, failure: failureOf(progress, ended) };
}

function failureOf(progress: FlowProgress, ended: readonly { readonly state: EndedStep }[]): FairleadError | undefined {
  // A cancel that came when all was done has changed nothing.
  const isCut =
    progress.isCancelled && ended.some(({ state: { outcome } }) => outcome === "cancelled" || outcome === "skipped");
  if (isCut) return executeErrors.COMMAND_CANCELLED();
  const failed = progress.firstFailed;
  if (failed === undefined) return undefined;
  const { code = "", message = "" } = failed.ended;
  return flowErrors.FLOW_STEP_FAILED({ step: failed.id, reason: message.replace(/\.$/, ""), code });
}

function toJson({ id, kind, continueOnError }: FlowStep, state: EndedStep, hasOutputs: boolean): object {
  const { outcome, beganAtMs, endedAtMs, attempts, code, message, outputs, result, isResultOmitted } = state;
  const names = Object.keys(outputs);
  return {
    id,
    kind,
    outcome,
    conclusion: outcome === "failed" && continueOnError ? "succeeded" : outcome,
    ...(beganAtMs !== undefined && { beganAt: new Date(beganAtMs).toISOString() }),
    ...(endedAtMs !== undefined && { endedAt: new Date(endedAtMs).toISOString() }),
    ...(attempts !== undefined && attempts > 1 && { attempts }),
    ...(code !== undefined && { code, message }),
    ...(names.length > 0 && (hasOutputs ? { outputs: plain(state) } : { outputsOmitted: names })),
    ...(isResultOmitted ? { resultOmitted: true } : result !== undefined && { result }),
  };
}

function plain({ outputs }: EndedStep): object {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, output]) => [name, "secret" in output ? output.secret : output.value]),
  );
}

/** All steps' together; the hub keeps 1 MiB of a result. */
const outputBytes = 200 * 1024;
