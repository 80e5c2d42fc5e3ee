import { getMetadata, type KubeMetadata, kubeErrors } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { isDenied, isInterruption, read } from "../attempt.ts";
import { manifestsErrors } from "../errors.ts";
import type { InventoryEntry } from "../inventory/inventory.ts";
import type { KindCatalogue } from "../kinds/catalogue.ts";
import { keyOf, onlyName } from "../object-name.ts";
import { failed } from "../outcome.ts";
import { markOf, setAnnotation } from "../prepare/set-mark.ts";
import type { Problem, Target } from "../prepare/target.ts";
import type { ManifestsSpec } from "../types.ts";
import { digestOf } from "./digest.ts";
import { judgeLeftover } from "./judge-leftover.ts";
import { type Looked, lookAt } from "./look-at.ts";
import type { Leftover, Survey, SurveyedTarget } from "./survey.ts";

export interface SurveyOptions {
  readonly task: Task<ManifestsSpec>;
  readonly catalogue: KindCatalogue;
  readonly targets: readonly Target[];
  readonly inventory: readonly InventoryEntry[];
}

export interface SurveyResult {
  readonly survey: Survey;
  readonly problems: readonly Problem[];
}

/** Looks at all objects that the run may touch. */
export async function takeSurvey(options: SurveyOptions): Promise<SurveyResult> {
  const { task, targets } = options;
  const makesNamespace = await lacksNamespace(options);
  const surveyed = new Map<string, SurveyedTarget>();
  const problems: Problem[] = [];
  await lookAt(task, targets, (target, found) => {
    const { manifest, name, key } = target;
    try {
      surveyed.set(key, survey(task.spec, target, found));
    } catch (error) {
      if (isInterruption(task, error)) throw error;
      problems.push({ manifest, outcome: failed({ task, name, error, where: manifest.where }) });
    }
  });
  const leftovers = await findLeftovers(options);
  const found = targets.flatMap(({ key }) => surveyed.get(key) ?? []);
  return { problems, survey: { targets: found, leftovers, makesNamespace } };
}

/** Throws where somebody has to say that it may be made. */
async function lacksNamespace({ task, targets }: SurveyOptions): Promise<boolean> {
  const { kube: client, spec } = task;
  const { namespace } = spec;
  const isOfSet = targets.some(({ resource, name }) => resource.resource === "namespaces" && name.name === namespace);
  // The inventory needs it, too.
  if (isOfSet || targets.length === 0) return false;
  const look = { client, resource: namespaces, name: namespace };
  const found = await read(task, (signal) => getMetadata({ ...look, signal })).catch((error) => {
    // Rights within a namespace alone don't allow reading it. If it is missing, the API server says so in time.
    if (isDenied(error)) return true;
    throw error;
  });
  if (!found && !spec.createNamespace) throw manifestsErrors.MANIFESTS_NAMESPACE_MISSING({ namespace });
  return !found;
}

function survey(spec: ManifestsSpec, target: Target, found: () => KubeMetadata | undefined): SurveyedTarget {
  const { name } = target;
  const metadata = lookUp(target, found);
  if (!metadata) return name;
  const set = metadata.annotations?.[setAnnotation];
  if (set !== undefined && set !== markOf(spec) && !spec.force) throw manifestsErrors.MANIFESTS_OTHER_SET({ set });
  const { uid, resourceVersion } = metadata;
  const digest = digestOf(metadata);
  return { ...name, before: { uid, resourceVersion, ...(digest !== undefined && { digest }) } };
}

function lookUp(target: Target, found: () => KubeMetadata | undefined): KubeMetadata | undefined {
  try {
    return found();
  } catch (error) {
    // The kind comes with the set.
    if (target.isDefinedHere && kubeErrors.is(error, "KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** Without those that are gone already, their kinds perhaps with them. */
async function findLeftovers({ task, catalogue, targets, inventory }: SurveyOptions): Promise<readonly Leftover[]> {
  const { spec } = task;
  const wanted = new Set(targets.map(({ key }) => key));
  const dropped: (Looked & { readonly entry: InventoryEntry })[] = [];
  for (const entry of inventory) {
    if (wanted.has(keyOf(entry))) continue;
    const resource = await catalogue.findAnyVersion(entry.apiVersion, entry.kind);
    if (resource) dropped.push({ entry, resource, name: onlyName(entry) });
  }
  const leftovers = new Map<InventoryEntry, Leftover>();
  await lookAt(task, dropped, ({ entry }, look) => {
    const found = look();
    if (!found) return;
    const fate = judgeLeftover({ entry, found, mark: markOf(spec), isPruning: spec.prune });
    leftovers.set(entry, { ...entry, uid: entry.uid ?? found.uid, fate });
  });
  return dropped.flatMap(({ entry }) => leftovers.get(entry) ?? []);
}

const namespaces = { group: "", version: "v1", resource: "namespaces" };
