// From manifests to what is sent. All problems are found before anything is changed.
import type { Task } from "../../types.ts";
import { isInterruption } from "../attempt.ts";
import { manifestsErrors } from "../errors.ts";
import { inParallel, parallelRequests } from "../in-parallel.ts";
import type { KindCatalogue } from "../kinds/catalogue.ts";
import { definedKinds, kindKey } from "../kinds/defined-kinds.ts";
import { keyOf, onlyName } from "../object-name.ts";
import { failed } from "../outcome.ts";
import type { Manifest, ManifestsSpec, ObjectName } from "../types.ts";
import { fillIn } from "./fill-in.ts";
import type { Problem, Target } from "./target.ts";

export interface Prepared {
  readonly targets: readonly Target[];
  readonly problems: readonly Problem[];
}

export async function prepareTargets(options: {
  readonly task: Task<ManifestsSpec>;
  readonly catalogue: KindCatalogue;
}): Promise<Prepared> {
  const { task, catalogue } = options;
  const { manifests } = task.spec;
  const versions = [...new Set(manifests.map(({ object }) => object.apiVersion))];
  await inParallel(versions, parallelRequests, (apiVersion) => catalogue.load(apiVersion));
  const defined = definedKinds(manifests);
  const targets: Target[] = [];
  const problems: Problem[] = [];
  const firsts = new Map<string, Manifest>();
  for (const manifest of manifests) {
    const name = nameOf(manifest, manifest.object.metadata.namespace);
    try {
      const target = await prepare(manifest);
      const first = firsts.get(target.key);
      if (first) throw manifestsErrors.MANIFESTS_NAMED_TWICE({ first: first.where });
      firsts.set(target.key, manifest);
      targets.push(target);
    } catch (error) {
      if (isInterruption(task, error)) throw error;
      problems.push({ manifest, outcome: failed({ task, name, error, where: manifest.where }) });
    }
  }
  return { targets, problems };

  async function prepare(manifest: Manifest): Promise<Target> {
    const { apiVersion, kind, metadata } = manifest.object;
    const ofSet = defined.get(kindKey(apiVersion, kind));
    const ofCluster = await catalogue.find(apiVersion, kind);
    const resource = ofCluster ?? ofSet;
    if (!resource) throw manifestsErrors.MANIFESTS_KIND_UNKNOWN({ apiVersion, kind });
    if (!resource.verbs.includes("patch")) throw manifestsErrors.MANIFESTS_KIND_FIXED({ kind });
    if (!resource.namespaced && metadata.namespace !== undefined)
      throw manifestsErrors.MANIFESTS_NAMESPACE_UNWANTED({ kind, namespace: metadata.namespace });
    const namespace = resource.namespaced ? (metadata.namespace ?? task.spec.namespace) : undefined;
    const name = nameOf(manifest, namespace);
    const object = await fillIn({ task, object: manifest.object, namespace });
    return { manifest, resource, name, key: keyOf(name), object, isDefinedHere: ofSet !== undefined };
  }
}

function nameOf({ object: { apiVersion, kind, metadata } }: Manifest, namespace: string | undefined): ObjectName {
  return onlyName({ apiVersion, kind, namespace, name: metadata.name });
}
