import { readRunFile } from "../../processes/index.ts";
import type { PlanResult, Task } from "../types.ts";
import { makePlan } from "./make-plan.ts";
import type { Providers } from "./providers.ts";
import { describePlan } from "./report/describe.ts";
import { openSession, openState } from "./session.ts";
import { digestOf, keepPlan } from "./state/kept-plan.ts";
import { takeLock } from "./state/lock.ts";
import { ManagedSecrets } from "./state/managed-secrets.ts";
import type { TofuSpec } from "./types.ts";
import { wishForTofu } from "./wish.ts";

/** The plan file is kept, so that a later claim can do exactly what it says. */
export async function planTofu(task: Task<TofuSpec>, providers: Providers = {}): Promise<PlanResult> {
  const managed = new ManagedSecrets();
  await using programs = await task.openPrograms(wishForTofu(task.spec, { phase: "plan", managed }));
  const session = await openSession({ task, programs, managed, providers });
  const lock = await takeLock(task, "plan");
  try {
    const needs = await openState(session);
    const plan = await makePlan(session);
    const bytes = await readRunFile(session.files.planFile, { folder: programs.folder });
    const isEmpty = plan.isEmpty || task.spec.action === "drift";
    if (!isEmpty) await keepPlan(task, { bytes, commit: session.commit, needs });
    return { json: describePlan(session, plan), digest: digestOf(bytes), isEmpty };
  } finally {
    await lock.release();
  }
}
