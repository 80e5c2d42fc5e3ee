import { digestOfPlan } from "../../plan-digest.ts";
import type { CommandRunner, PlanResult, Task } from "../../types.ts";
import { describe, look, runWait } from "./run.ts";
import { parseWaitSpec } from "./spec.ts";
import type { WaitSpec } from "./types.ts";

/** Changes nothing, and ends when objects are as awaited. */
export const waitRunner: CommandRunner<WaitSpec> = {
  parse: parseWaitSpec,
  plan: planWait,
  run: runWait,
};

/** How long it takes isn't planned: only what it waits for decides. */
async function planWait(task: Task<WaitSpec>): Promise<PlanResult> {
  const { lack } = await look(task);
  const json = { awaits: describe(task.spec), ...(lack !== undefined && { lack }) };
  return { json, digest: digestOfPlan(task.spec), isEmpty: true };
}
