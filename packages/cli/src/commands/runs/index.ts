import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { addRunApprove } from "./approve.ts";
import { addRunCancel } from "./cancel.ts";
import { addRunFlow } from "./flow.ts";
import { addRunHelm } from "./helm.ts";
import { addRunList } from "./list.ts";
import { addRunLogs } from "./logs.ts";
import { addRunManifests } from "./manifests.ts";
import { addRunReject } from "./reject.ts";
import { addRunRetry } from "./retry.ts";
import { addRollout } from "./rollout.ts";
import { addRunShow } from "./show.ts";
import { addRunTemplate } from "./template.ts";
import { addRunTofu } from "./tofu.ts";

export { addTargetOptions, readTarget, type Target, type TargetOptions } from "./choose-clusters.ts";
export { finishRuns } from "./finish-runs.ts";
export { followRun } from "./follow-run.ts";
export { createLogPrinter } from "./log-printer.ts";
export { parseWaves } from "./rollout-plan.ts";
export { describeApprovers, describeWaiting, keyOfApproval } from "./run-text.ts";

export function addRunCommands(program: Command, open: OpenContext): void {
  const run = program.command("run").description("Run commands in clusters");
  addRunManifests(run, open);
  addRunHelm(run, open);
  addRunTofu(run, open);
  addRunFlow(run, open);
  addRunTemplate(run, open);
  addRunList(run, open);
  addRunShow(run, open);
  addRunLogs(run, open);
  addRunApprove(run, open);
  addRunReject(run, open);
  addRunCancel(run, open);
  addRunRetry(run, open);
  addRollout(program, open);
}
