import { isFairleadError } from "@fairlead/kernel";
import type { RunResult, Task } from "../types.ts";
import { approveSteps } from "./approve-steps.ts";
import { flowErrors } from "./errors.ts";
import { evaluate, mentions } from "./expression/evaluate.ts";
import { cutMessage } from "./fit-step.ts";
import { type Play, playStep } from "./play-step.ts";
import { FlowProgress } from "./progress.ts";
import { reportFlow } from "./report.ts";
import { requireKinds } from "./require-kinds.ts";
import { type Consent, settleConsent } from "./settle-consent.ts";
import { FlowRecord } from "./state.ts";
import { isCancel } from "./step-signals.ts";
import type { FlowSpec, FlowStep } from "./types.ts";

/** Step after step; one that has ended is never run again, whatever ends this agent in between. */
export async function runFlow(task: Task<FlowSpec>): Promise<RunResult> {
  const record = new FlowRecord(task);
  if (!record.isBegun) await beginFlow(task, record);
  const progress = new FlowProgress({ spec: task.spec, record, isCancelled: () => isCancel(task.signal.reason) });
  for (const [index, step] of task.spec.steps.entries()) {
    const state = record.at(index);
    if (state.is === "ended") continue;
    // An agent that stops begins nothing.
    if (task.signal.aborted && !progress.isCancelled) throw task.signal.reason;
    if (task.forced.aborted && !isCancel(task.forced.reason)) throw task.forced.reason;
    const wish = state.is === "running" ? "run" : wishOf(task, step, progress);
    const play = { task, record, progress, step, index };
    if (wish !== "run") {
      await record.set(index, { is: "ended", outputs: {}, ...wish });
      continue;
    }
    const consent = await settleConsent(play);
    switch (consent.is) {
      case "given":
        await playStep(play);
        break;
      case "asked":
        return { json: undefined, asks: consent.plan };
      case "missing":
        await endUnapproved(play, consent);
    }
  }
  return reportFlow({ task, record, progress });
}

async function endUnapproved(
  { task, record, step, index }: Play,
  { outcome, error }: Extract<Consent, { readonly is: "missing" }>,
): Promise<void> {
  task.log.line(`step ${step.id} ${outcome}: ${error.message} (${error.code})`);
  const message = cutMessage(task, error.message);
  await record.set(index, { is: "ended", outputs: {}, outcome, code: error.code, message });
}

async function beginFlow(task: Task<FlowSpec>, record: FlowRecord): Promise<void> {
  requireKinds(task);
  await approveSteps(task, record);
  await record.begin();
}

type Wish = "run" | { readonly outcome: "skipped" | "failed"; readonly code?: string; readonly message?: string };

function wishOf(task: Task<FlowSpec>, step: FlowStep, progress: FlowProgress): Wish {
  const skip = (why: string): Wish => {
    task.log.line(`step ${step.id} is skipped: ${why}`);
    return { outcome: "skipped" };
  };
  if (task.forced.aborted || (progress.isCancelled && !step.isCleanup)) return skip("the flow is cancelled");
  const { condition, isAlways } = step;
  const decidesItself =
    isAlways || (condition !== undefined && mentions(condition, ["success", "failure", "cancelled", "always"]));
  if (!decidesItself && !progress.holds("success"))
    return skip(`${progress.firstFailed?.id ?? "an earlier step"} failed`);
  try {
    return condition === undefined || evaluate(condition, progress) ? "run" : skip("its if isn't true");
  } catch (error) {
    const detail = isFairleadError(error) ? error.message.replace(/\.$/, "") : (error as Error).message;
    const { code, message } = flowErrors.FLOW_CONDITION_FAILED({ detail });
    task.log.line(`step ${step.id} failed: ${message}`);
    return { outcome: "failed", code, message };
  }
}
