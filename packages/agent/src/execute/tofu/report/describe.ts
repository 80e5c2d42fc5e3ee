import type { Session } from "../session.ts";
import { fitReport } from "./fit-report.ts";
import type { PlanReport } from "./read-plan.ts";

/** Describes a plan for the hub. */
export function describePlan({ task, commit }: Pick<Session, "task" | "commit">, plan: PlanReport): object {
  const { action, workspace } = task.spec;
  const isDrift = action === "drift";
  return {
    action,
    workspace,
    ...(commit !== undefined && { commit }),
    ...(isDrift && { drifted: plan.drift.length > 0 || !plan.isEmpty }),
    ...fitReport(plan),
  };
}
