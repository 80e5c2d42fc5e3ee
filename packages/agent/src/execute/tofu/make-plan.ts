import { tofuErrors } from "./errors.ts";
import { type PlanReport, readPlan } from "./report/read-plan.ts";
import { requireVariables } from "./require-variables.ts";
import type { Session } from "./session.ts";
import { describeErrors } from "./tofu-cli.ts";

/** Into the plan file. Throws TOFU_VARIABLES_MISSING, TOFU_PLAN_FAILED. */
export async function makePlan(session: Session): Promise<PlanReport> {
  const { task, cli, files } = session;
  const { action, targets, parallelism } = task.spec;
  const told = await cli.run([
    "plan",
    "-input=false",
    "-lock=false",
    `-out=${files.planFile}`,
    `-var-file=${files.variablesFile}`,
    ...(action === "destroy" ? ["-destroy"] : action === "refresh" ? ["-refresh-only"] : []),
    ...(parallelism === undefined ? [] : [`-parallelism=${parallelism}`]),
    ...targets.map((target) => `-target=${target}`),
  ]);
  task.signal.throwIfAborted();
  requireVariables(told.errors);
  if (told.exitCode !== 0) throw tofuErrors.TOFU_PLAN_FAILED({ detail: describeErrors(told, task.secrets) });
  return await showPlan(session);
}

export async function showPlan({ task, cli, files }: Session): Promise<PlanReport> {
  const { exitCode, stdout } = await cli.read(["show", "-json", files.planFile]);
  task.signal.throwIfAborted();
  if (exitCode !== 0) throw tofuErrors.TOFU_PLAN_FAILED({ detail: `show ended with exit code ${exitCode}` });
  const plan = readPlan(stdout, task.secrets);
  // A refresh changes the state alone.
  return task.spec.action === "refresh" ? { ...plan, isEmpty: plan.isEmpty && plan.drift.length === 0 } : plan;
}
