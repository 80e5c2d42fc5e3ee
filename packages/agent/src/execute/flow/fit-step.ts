// Cuts what an ended step leaves to the room in the record, and in the result that the hub keeps.
import type { FairleadError } from "@fairlead/kernel";
import { cutText } from "../cut-text.ts";
import type { Task } from "../types.ts";
import { flowErrors } from "./errors.ts";
import type { StepOutcome } from "./expression/types.ts";
import { type Outputs, outputsOf } from "./outputs.ts";
import type { EndedStep, FlowRecord } from "./state.ts";
import type { FlowSpec, FlowStep } from "./types.ts";

export function fitStep(options: {
  readonly task: Task<FlowSpec>;
  readonly record: FlowRecord;
  readonly step: FlowStep;
  readonly outcome: StepOutcome;
  readonly told: { readonly result: unknown; readonly failure: FairleadError | undefined };
  readonly attempts: Pick<EndedStep, "beganAtMs" | "endedAtMs" | "attempts">;
}): EndedStep {
  const { task, record, step, outcome, told, attempts } = options;
  const { result } = told;
  const others = task.spec.steps.map((_, index) => record.ended(index));
  const outputs: Outputs = outcome === "succeeded" ? outputsOf(step.kind, result) : {};
  const isTooMuch = sizeOf(outputs) + sum(others, (each) => sizeOf(each.outputs)) > outputBytes;
  const failure = isTooMuch ? flowErrors.FLOW_OUTPUTS_TOO_LARGE({ limitBytes: outputBytes }) : told.failure;
  const isResultOmitted = sizeOf(result) + sum(others, (each) => sizeOf(each.result)) > resultBytes;
  return {
    is: "ended",
    ...attempts,
    outcome: isTooMuch ? "failed" : outcome,
    code: failure?.code,
    message: failure && cutMessage(task, failure.message),
    outputs: isTooMuch ? {} : outputs,
    ...(isResultOmitted ? { isResultOmitted } : { result }),
  };
}

function sum(steps: readonly (EndedStep | undefined)[], size: (step: EndedStep) => number): number {
  return steps.reduce((total, step) => total + (step === undefined ? 0 : size(step)), 0);
}

function sizeOf(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

/** Masked, too: it is kept for an agent that may not know the secrets. */
export function cutMessage({ secrets }: Pick<Task<unknown>, "secrets">, message: string): string {
  return cutText(secrets, String(secrets.redact(message)), maxMessage);
}

const outputBytes = 1024 * 1024;
/** The most for all steps' results together: the hub keeps 1 MiB, and more than the result is told of each step. */
const resultBytes = 600 * 1024;
const maxMessage = 1_000;
