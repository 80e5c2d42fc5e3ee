import { executeErrors } from "../../errors.ts";
import type { RunResult } from "../../types.ts";
import { rollbackArguments } from "../arguments.ts";
import { type Begun, describeCommand } from "../begin.ts";
import { chooseRevision, deployedOf, openBefore } from "../earlier.ts";
import { planRollback } from "../plan/plan-others.ts";
import type { ReleaseHead } from "../release/release-store.ts";
import { reportRelease } from "../report.ts";
import type { RollbackAction } from "../types.ts";
import { adopt } from "./adopt.ts";
import { takeStep } from "./step.ts";

export async function rollBack(begun: Begun, action: RollbackAction): Promise<RunResult> {
  const { task, helm, store, heads, memory, standing } = begun;
  const { spec, approvedDigest, log } = task;
  if (standing.type === "done")
    return await adopt(begun, { head: standing.head, before: await openBefore(begun, memory) });
  const target = memory?.target ?? chooseRevision(begun, action);
  if (
    memory === undefined &&
    approvedDigest !== undefined &&
    (await planRollback(begun, action)).digest !== approvedDigest
  )
    throw executeErrors.COMMAND_PLAN_STALE({ detail: "the release or its objects have changed since" });
  if (standing.type === "broken") await store.markFailed(standing.head);
  const latest = heads.at(-1) as ReleaseHead;
  log.line(`rolls ${spec.namespace}/${spec.release} back to revision ${target}`);
  // A begun rollback is brought to its end, also after a cancel.
  if (memory === undefined) task.mayAct();
  const { failure, ...after } = await takeStep(begun, {
    args: rollbackArguments({
      major: helm.major,
      spec,
      action,
      revision: target,
      description: describeCommand(task),
      isClientSide: (await store.open(latest))?.isClientSide ?? false,
    }),
    memory: { phase: "act", before: memory ? memory.before : deployedOf(heads), expected: latest.revision + 1, target },
    // Helm would leave it half done.
    isRepair: true,
  });
  log.line(failure ? `failed: ${failure.message}` : `revision ${after.release?.revision} is ${after.release?.status}`);
  return { json: reportRelease({ task, ...after }), failure };
}
