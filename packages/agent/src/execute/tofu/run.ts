import { writeFile } from "node:fs/promises";
import type { FairleadError } from "@fairlead/kernel";
import { isFairleadError } from "@fairlead/kernel";
import { sharedFileMode } from "../../processes/index.ts";
import { executeErrors } from "../errors.ts";
import type { RunResult, Task } from "../types.ts";
import { tofuErrors } from "./errors.ts";
import { giveOut } from "./give-out.ts";
import { makePlan, showPlan } from "./make-plan.ts";
import { judgeNeeds } from "./prepare/judge-source.ts";
import type { Providers } from "./providers.ts";
import { describePlan } from "./report/describe.ts";
import type { PlanReport } from "./report/read-plan.ts";
import { openSession, openState, type Session } from "./session.ts";
import { dropPlan, fetchPlan } from "./state/kept-plan.ts";
import { takeLock } from "./state/lock.ts";
import { ManagedSecrets } from "./state/managed-secrets.ts";
import { readState, writeState } from "./state/record.ts";
import { saveErrored } from "./state/unsaved.ts";
import { describeErrors, type Told } from "./tofu-cli.ts";
import type { TofuSpec } from "./types.ts";
import { wishForTofu } from "./wish.ts";

export async function runTofu(task: Task<TofuSpec>, providers: Providers = {}): Promise<RunResult> {
  const { approvedDigest } = task;
  const { result: told } = readState(task);
  if (told !== undefined) return { json: told };
  const approved = approvedDigest === undefined ? undefined : await fetchPlan(task, approvedDigest);
  // The policy may have become another one since.
  if (approved?.needs) judgeNeeds(approved.needs, task.tofuRules());
  const managed = new ManagedSecrets();
  const phase = task.spec.action === "drift" ? "plan" : "apply";
  await using programs = await task.openPrograms(wishForTofu(task.spec, { phase, managed }));
  const session = await openSession({ task, programs, managed, providers, commit: approved?.commit });
  const lock = await takeLock(task, "apply");
  try {
    await openState(session);
    if (approved) await writeFile(session.files.planFile, approved.bytes, { mode: sharedFileMode });
    const plan = approved ? await showPlan(session) : await makePlan(session);
    const result = task.spec.action === "drift" ? { json: describePlan(session, plan) } : await apply(session, plan);
    // Before the plan goes: without it nobody could say any more what became of it.
    if (!result.failure) await writeState(task, { result: result.json });
    await dropPlan(task).catch(() =>
      task.log.line("tofu: the plan that was kept couldn't be removed; it ends by itself"),
    );
    return result;
  } finally {
    await lock.release();
  }
}

async function apply(session: Session, plan: PlanReport): Promise<RunResult> {
  const { task } = session;
  const wasApplying = readState(task).phase === "applying";
  const told = plan.isEmpty ? nothing : await applyPlan(session);
  const unsaved = await saveErrored(session).catch(onlyOurs);
  const json = { ...describePlan(session, plan), applied: count(told.applied) };
  const failure = unsaved ?? failureOf(task, told, wasApplying);
  if (failure) return { json, failure };
  try {
    const { outputs, secret } = await giveOut(session);
    return { json: { ...json, outputs, ...(secret !== undefined && { outputsSecret: secret }) } };
  } catch (error) {
    if (!isFairleadError(error) || task.signal.aborted) throw error;
    return { json, failure: error };
  }
}

async function applyPlan(session: Session): Promise<Told> {
  const { task, cli, files } = session;
  const { parallelism } = task.spec;
  await writeState(task, { phase: "applying" });
  task.mayAct();
  return await cli.run([
    "apply",
    "-input=false",
    "-lock=false",
    ...(parallelism === undefined ? [] : [`-parallelism=${parallelism}`]),
    files.planFile,
  ]);
}

function onlyOurs(error: unknown): FairleadError {
  if (tofuErrors.is(error)) return error;
  throw error;
}

function failureOf(task: Task<TofuSpec>, told: Told, wasApplying: boolean): FairleadError | undefined {
  const { exitCode, applied, summaries } = told;
  if (exitCode === 0) return undefined;
  if (applied.length === 0 && summaries.some((summary) => staleSummaries.has(summary))) {
    if (wasApplying) return tofuErrors.TOFU_APPLY_INTERRUPTED();
    throw executeErrors.COMMAND_PLAN_STALE({ detail: "the state has changed since" });
  }
  if (task.signal.aborted && isFairleadError(task.signal.reason)) return task.signal.reason;
  return tofuErrors.TOFU_APPLY_FAILED({ detail: describeErrors(told, task.secrets) });
}

function count(applied: readonly string[]): Readonly<Record<string, number>> {
  const counts = { added: 0, changed: 0, destroyed: 0 };
  for (const action of applied) {
    if (action === "create") counts.added++;
    if (action === "update") counts.changed++;
    if (action === "delete") counts.destroyed++;
  }
  return counts;
}

const nothing: Told = { exitCode: 0, errors: [], summaries: [], applied: [] };
const staleSummaries = new Set(["Saved plan is stale", "Saved plan does not match the given state"]);
