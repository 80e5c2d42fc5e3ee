import { executeErrors } from "../../errors.ts";
import type { RunResult } from "../../types.ts";
import { uninstallArguments } from "../arguments.ts";
import { type Begun, describeCommand } from "../begin.ts";
import { planUninstall } from "../plan/plan-others.ts";
import { reportRelease } from "../report.ts";
import type { UninstallAction } from "../types.ts";
import { takeStep } from "./step.ts";

/** A missing release counts as uninstalled, so that asking twice is the same as asking once. */
export async function uninstall(begun: Begun, action: UninstallAction): Promise<RunResult> {
  const { task, helm, heads, memory } = begun;
  const { spec, approvedDigest, log } = task;
  if (
    memory === undefined &&
    approvedDigest !== undefined &&
    (await planUninstall(begun, action)).digest !== approvedDigest
  )
    throw executeErrors.COMMAND_PLAN_STALE({ detail: "the release has changed since" });
  const latest = heads.at(-1);
  if (latest === undefined || (latest.status === "uninstalled" && action.keepHistory)) {
    log.line(`${spec.namespace}/${spec.release} isn't installed`);
    return { json: reportRelease({ task, release: latest && (await begun.store.open(latest)), heads }) };
  }
  log.line(`uninstalls ${spec.namespace}/${spec.release}, revision ${latest.revision}`);
  // A begun uninstall is brought to its end, also after a cancel.
  if (memory === undefined) task.mayAct();
  const { failure, ...after } = await takeStep(begun, {
    args: uninstallArguments({ major: helm.major, spec, action, description: describeCommand(task) }),
    memory: { phase: "act", before: latest.revision, expected: latest.revision },
    // Helm would leave it half done.
    isRepair: true,
  });
  log.line(failure ? `failed: ${failure.message}` : "it is uninstalled");
  return { json: reportRelease({ task, ...after }), failure };
}
