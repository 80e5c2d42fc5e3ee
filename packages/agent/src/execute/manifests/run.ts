import type { FairleadError } from "@fairlead/kernel";
import { applyObject } from "@fairlead/kube";
import { executeErrors } from "../errors.ts";
import type { RunResult, Task } from "../types.ts";
import { applyWaves } from "./apply/apply-waves.ts";
import { act } from "./attempt.ts";
import { type Begun, begin, madeNamespace } from "./begin.ts";
import { nextInventory, widestInventory } from "./inventory/next-inventory.ts";
import { keyOf } from "./object-name.ts";
import { planManifests } from "./plan.ts";
import { keptOutcome, prune } from "./prune.ts";
import type { AppliedObject } from "./readiness/until-ready.ts";
import { Report, refusal } from "./report.ts";
import { surveyState } from "./survey/survey.ts";
import type { ManifestsSpec } from "./types.ts";
import { WaitBudget } from "./wait-budget.ts";

export async function runManifests(task: Task<ManifestsSpec>): Promise<RunResult> {
  const begun = await begin(task);
  const { survey, problems, known, store } = begun;
  if (problems.length > 0 && !begun.isResumed) return refusal(task.spec.manifests, problems);
  if (!begun.isResumed) await requireApproved(task);
  // Intent first: whoever goes on after this run died knows what there was before it.
  await task.state.write(surveyState(survey));
  const report = new Report([...madeNamespace(task, begun.survey), ...survey.targets, ...survey.leftovers]);
  // Such as a Secret that went since the run died.
  for (const { outcome } of problems) report.fail(outcome, task.spec.namespace);
  for (const leftover of survey.leftovers) {
    const kept = keptOutcome(leftover);
    if (kept) report.set(keyOf(leftover), kept);
  }
  const applied = new Map<string, AppliedObject>();
  const interruption = await changeCluster({ task, begun, report, applied });
  const uids = new Map([...applied].map(([key, { object }]) => [key, object.metadata.uid]));
  await store.write(nextInventory({ survey, known, outcomes: report.outcomes, uids }), { repair: true });
  return report.result(interruption);
}

async function requireApproved(task: Task<ManifestsSpec>): Promise<void> {
  if (task.approvedDigest === undefined) return;
  const { digest } = await planManifests(task);
  if (digest !== task.approvedDigest) throw executeErrors.COMMAND_PLAN_STALE({ detail: "objects have changed since" });
}

interface Run {
  readonly task: Task<ManifestsSpec>;
  readonly begun: Begun;
  readonly report: Report;
  /** By key; filled while objects are applied. */
  readonly applied: Map<string, AppliedObject>;
}

/** Returns the cancel that ended it early. Whatever else interrupts it is thrown: another run goes on. */
async function changeCluster(run: Run): Promise<FairleadError | undefined> {
  const { task, begun, report } = run;
  try {
    await makeNamespace(run);
    await widenInventory(run);
    const budget = new WaitBudget(task);
    if (!(await applyWaves({ ...run, budget }))) return undefined;
    await prune({ task, ...begun, onOutcome: (key, outcome) => report.set(key, outcome) });
    report.setUnready(await budget.wait([...run.applied.values()]));
    return undefined;
  } catch (error) {
    if (executeErrors.is(error, "COMMAND_CANCELLED")) return error;
    throw error;
  }
}

async function makeNamespace({ task, begun, report }: Run): Promise<void> {
  const [name] = madeNamespace(task, begun.survey);
  if (!name) return;
  const { kube: client } = task;
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: name.name } };
  const how = { resource: namespaces, name: name.name, fieldManager: "fairlead", isForced: false, isDryRun: false };
  await act(task, (signal) => applyObject({ client, object, ...how, signal }));
  report.set(keyOf(name), { ...name, did: "created" });
  task.log.line(`created Namespace ${name.name}`);
}

/** Before anything is made, so that a run that is lost leaves nothing behind that no later run knows of. */
async function widenInventory({ task, begun }: Run): Promise<void> {
  const { survey, store, known } = begun;
  const { namespace } = task.spec;
  const isMissing = survey.targets.some(
    ({ apiVersion, kind, name, before }) =>
      apiVersion === "v1" && kind === "Namespace" && name === namespace && before === undefined,
  );
  // Then the set brings it, and there is no inventory of before.
  if (!isMissing) await store.write(widestInventory(survey, known));
}

const namespaces = { group: "", version: "v1", resource: "namespaces", kind: "Namespace" };
