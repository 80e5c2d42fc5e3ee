import type { PlanResult, Task } from "../types.ts";
import { begin } from "./begin.ts";
import { planRollback, planTests, planUninstall } from "./plan/plan-others.ts";
import { planUpgrade } from "./plan/plan-upgrade.ts";
import { prepareUpgrade } from "./prepare-upgrade.ts";
import type { HelmSpec } from "./types.ts";
import { wishForHelm } from "./wish.ts";

/** Asks helm what it would make, and the API server what would come of it. */
export async function planHelm(task: Task<HelmSpec>): Promise<PlanResult> {
  await using programs = await task.openPrograms(wishForHelm(task, "plan"));
  const begun = await begin(task, programs);
  const { action } = task.spec;
  switch (action.type) {
    case "upgrade":
      return await planUpgrade(begun, action, await prepareUpgrade(begun, action));
    case "uninstall":
      return await planUninstall(begun, action);
    case "rollback":
      return await planRollback(begun, action);
    case "test":
      return await planTests(begun);
  }
}
