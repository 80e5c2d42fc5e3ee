import { getObject, kubeErrors, statusOf } from "@fairlead/kube";
import { digestOfPlan } from "../plan-digest.ts";
import { hideSecrets } from "../proposals/index.ts";
import type { PlanResult, RunResult, Task } from "../types.ts";
import { isKindMissing, send } from "./apply/apply-target.ts";
import { isInterruption, read } from "./attempt.ts";
import { type Begun, begin, madeNamespace } from "./begin.ts";
import { inParallel, parallelRequests } from "./in-parallel.ts";
import { listChanges } from "./list-changes.ts";
import { keyOf, onlyName } from "./object-name.ts";
import { failed } from "./outcome.ts";
import type { Target } from "./prepare/target.ts";
import { keptOutcome } from "./prune.ts";
import { Report, refusal } from "./report.ts";
import type { ManifestsSpec, Outcome } from "./types.ts";

/** A proposal that nobody has seen is planned the same way when it is carried out: what was approved is compared. */
export async function planManifests(task: Task<ManifestsSpec>): Promise<PlanResult> {
  if (!task.plansBlind) return await plan(task);
  const secrets = hideSecrets(task.secrets);
  const { json, ...planned } = await plan({ ...task, secrets });
  return { ...planned, json: { ...(json as object), ...(secrets.hiddenCount > 0 && { secretsHidden: true }) } };
}

/** Asks the API server what would come of it: defaults, admission and conflicts are in the answer. */
async function plan(task: Task<ManifestsSpec>): Promise<PlanResult> {
  const begun = await begin(task);
  const { survey, targets, problems } = begun;
  if (problems.length > 0) return toPlan(begun, task, refusal(task.spec.manifests, problems), []);
  const made = madeNamespace(task, survey);
  const report = new Report([...made, ...survey.targets, ...survey.leftovers]);
  for (const name of made) report.set(keyOf(name), { ...name, did: "created" });
  await inParallel(targets, parallelRequests, async (target) => {
    report.set(target.key, await planOne({ task, begun, target }));
  });
  for (const leftover of survey.leftovers)
    report.set(keyOf(leftover), keptOutcome(leftover) ?? { ...onlyName(leftover), did: "deleted" });
  return toPlan(begun, task, report.result(), report.outcomes.values());
}

/** The digest covers the objects as sent, too: one that would be created may have another Secret's text in it. */
function toPlan(
  { targets }: Begun,
  { spec }: Task<ManifestsSpec>,
  result: RunResult,
  outcomes: Iterable<Outcome>,
): PlanResult {
  const isEmpty =
    result.failure === undefined && [...outcomes].every(({ did }) => did === "unchanged" || did === "kept");
  return {
    ...result,
    digest: digestOfPlan(
      spec,
      targets.map(({ key, object }) => [key, object]),
      result.json,
    ),
    isEmpty,
  };
}

async function planOne(options: {
  readonly task: Task<ManifestsSpec>;
  readonly begun: Begun;
  readonly target: Target;
}): Promise<Outcome> {
  const { task, begun, target } = options;
  const { name, manifest, resource } = target;
  const { kube: client } = task;
  try {
    const after = await read(task, (signal) => send({ task, target, isDryRun: true, signal }));
    const live = await read(task, (signal) => getObject({ client, resource, ...name, signal }));
    if (!live) return { ...name, did: "created" };
    const changes = listChanges(live, after, task.secrets);
    return changes.length === 0 ? { ...name, did: "unchanged" } : { ...name, did: "changed", changes };
  } catch (error) {
    if (isInterruption(task, error)) throw error;
    if (comesWithSet(error, target, begun)) return { ...name, did: "created", message: unchecked };
    return failed({ task, name, error, where: manifest.where });
  }
}

/** Its kind or its namespace isn't there yet, and will be. */
function comesWithSet(error: unknown, target: Target, { survey, targets }: Begun): boolean {
  if (target.isDefinedHere && isKindMissing(error, target)) return true;
  const { namespace } = target.name;
  if (namespace === undefined || !kubeErrors.is(error, "KUBE_NOT_FOUND")) return false;
  if (statusOf(error)?.details?.["name"] !== namespace) return false;
  return survey.makesNamespace || targets.some(({ name }) => name.kind === "Namespace" && name.name === namespace);
}

const unchecked = "it can't be checked before its kind or its namespace is there";
