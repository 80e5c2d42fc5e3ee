import { executeErrors } from "../errors.ts";
import type { Task } from "../types.ts";
import { planSteps } from "./plan.ts";
import type { FlowRecord } from "./state.ts";
import type { FlowSpec } from "./types.ts";

/**
 * Where people have approved a plan: what would be done now is that plan, and each step that was in it does exactly its
 * part. People are asked about steps that weren't known then when the flow comes to them.
 */
export async function approveSteps(task: Task<FlowSpec>, record: FlowRecord): Promise<void> {
  if (task.approvedDigest === undefined) return;
  const { steps, result } = await planSteps(task, record, { isApproved: true });
  if (result.digest !== task.approvedDigest)
    throw executeErrors.COMMAND_PLAN_STALE({ detail: "a step would now do something else" });
  for (const [index, { digest }] of steps.entries()) {
    const state = record.at(index);
    if (state.is === "pending") await record.set(index, { ...state, approvedDigest: digest });
  }
}
