import { toFairleadError } from "@fairlead/kernel";
import { getObject, type KubeObject, kubeErrors } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { isInterruption, read } from "../attempt.ts";
import { manifestsErrors } from "../errors.ts";
import { inParallel, parallelRequests } from "../in-parallel.ts";
import type { InventoryEntry } from "../inventory/inventory.ts";
import type { KindCatalogue } from "../kinds/catalogue.ts";
import { keyOf } from "../object-name.ts";
import { failed } from "../outcome.ts";
import { markOf, setAnnotation } from "../prepare/set-mark.ts";
import type { Problem, Target } from "../prepare/target.ts";
import type { ManifestsSpec } from "../types.ts";
import { digestOf } from "./digest.ts";
import { judgeLeftover } from "./judge-leftover.ts";
import type { Leftover, Survey, SurveyedTarget } from "./survey.ts";

export interface SurveyOptions {
  readonly task: Task<ManifestsSpec>;
  readonly catalogue: KindCatalogue;
  readonly targets: readonly Target[];
  readonly inventory: readonly InventoryEntry[];
  /** Told of each object as it is before the run. */
  readonly onObject?: (key: string, object: KubeObject) => void;
}

export interface SurveyResult {
  readonly survey: Survey;
  readonly problems: readonly Problem[];
}

/** Looks at all objects that the run may touch, and at no others. */
export async function takeSurvey(options: SurveyOptions): Promise<SurveyResult> {
  const { task, targets, inventory } = options;
  const surveyed = new Map<string, SurveyedTarget>();
  const problems: Problem[] = [];
  const makesNamespace = await lacksNamespace(options);
  await inParallel(targets, parallelRequests, async (target) => {
    try {
      surveyed.set(target.key, await lookAt(options, target));
    } catch (error) {
      if (isInterruption(task, error)) throw error;
      const { manifest, name } = target;
      problems.push({ manifest, outcome: failed(name, toFairleadError(error), manifest.where) });
    }
  });
  const wanted = new Set(targets.map(({ key }) => key));
  const gone = inventory.filter((entry) => !wanted.has(keyOf(entry)));
  const leftovers = new Map<string, Leftover>();
  await inParallel(gone, parallelRequests, async (entry) => {
    const leftover = await lookAtLeftover(options, entry);
    if (leftover) leftovers.set(keyOf(entry), leftover);
  });
  return {
    problems,
    survey: {
      targets: targets.flatMap(({ key }) => surveyed.get(key) ?? []),
      leftovers: gone.flatMap((entry) => leftovers.get(keyOf(entry)) ?? []),
      makesNamespace,
    },
  };
}

/** Throws where somebody has to say that it may be made. */
async function lacksNamespace({ task, targets }: SurveyOptions): Promise<boolean> {
  const { kube: client, spec } = task;
  const { namespace } = spec;
  const isOfSet = targets.some(({ resource, name }) => resource.resource === "namespaces" && name.name === namespace);
  // The inventory needs it, too.
  if (isOfSet || targets.length === 0) return false;
  const found = await read(task, (signal) => getObject({ client, resource: namespaces, name: namespace, signal }));
  if (!found && !spec.createNamespace) throw manifestsErrors.MANIFESTS_NAMESPACE_MISSING({ namespace });
  return !found;
}

async function lookAt({ task, onObject }: SurveyOptions, target: Target): Promise<SurveyedTarget> {
  const { kube: client, spec } = task;
  const { resource, name, key } = target;
  const found = await read(task, (signal) => getObject({ client, resource, ...name, signal })).catch((error) => {
    // The kind comes with the set.
    if (target.isDefinedHere && kubeErrors.is(error, "KUBE_NOT_FOUND")) return undefined;
    throw error;
  });
  if (!found) return name;
  const set = found.metadata.annotations?.[setAnnotation];
  if (set !== undefined && set !== markOf(spec) && !spec.force) throw manifestsErrors.MANIFESTS_OTHER_SET({ set });
  onObject?.(key, found);
  const { uid, resourceVersion } = found.metadata;
  const digest = digestOf(found);
  return { ...name, before: { uid, resourceVersion, ...(digest !== undefined && { digest }) } };
}

/** Undefined when it is gone already, its kind perhaps with it. */
async function lookAtLeftover(options: SurveyOptions, entry: InventoryEntry): Promise<Leftover | undefined> {
  const { task, catalogue } = options;
  const { apiVersion, kind, namespace, name } = entry;
  const resource = await catalogue.find(apiVersion, kind);
  if (!resource) return undefined;
  const { kube: client, spec } = task;
  const found = await read(task, (signal) => getObject({ client, resource, namespace, name, signal }));
  if (!found) return undefined;
  const fate = judgeLeftover({ entry, found: found.metadata, mark: markOf(spec), isPruning: spec.prune });
  return { ...entry, uid: entry.uid ?? found.metadata.uid, fate };
}

const namespaces = { group: "", version: "v1", resource: "namespaces", kind: "Namespace" };
