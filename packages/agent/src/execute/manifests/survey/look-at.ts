import { type ApiResource, getMetadata, type KubeMetadata, kubeErrors, listMetadata } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { isDenied, read } from "../attempt.ts";
import { inParallel, parallelRequests } from "../in-parallel.ts";
import { keyOf } from "../object-name.ts";
import type { ManifestsSpec, ObjectName } from "../types.ts";

export interface Looked {
  readonly name: ObjectName;
  readonly resource: ApiResource;
}

/**
 * Reads objects' metadata and tells each once: undefined for a missing object, or the error. Many of a kind in one
 * namespace are listed, which is one request where there would be hundreds.
 */
export async function lookAt<T extends Looked>(
  task: Task<ManifestsSpec>,
  wanted: readonly T[],
  tell: (item: T, found: () => KubeMetadata | undefined) => void,
): Promise<void> {
  const groups = [...Map.groupBy(wanted, ({ name }) => keyOf({ ...name, name: "" })).values()];
  const single: T[] = [];
  for (const group of groups) {
    const listed = group.length < worthListing ? undefined : await listGroup(task, group);
    for (const item of group) {
      const metadata = listed?.found.get(item.name.name);
      if (metadata || listed?.isWhole) tell(item, () => metadata);
      else single.push(item);
    }
  }
  await inParallel(single, parallelRequests, async (item) => {
    const { resource, name } = item;
    const { kube: client } = task;
    const answer = read(task, (signal) => getMetadata({ client, resource, ...name, signal }));
    await answer.then(
      (metadata) => tell(item, () => metadata),
      (error: unknown) =>
        tell(item, () => {
          throw error;
        }),
    );
  });
}

interface Listed {
  readonly found: ReadonlyMap<string, KubeMetadata>;
  /** An object that isn't found doesn't exist. */
  readonly isWhole: boolean;
}

/** Undefined where lists aren't allowed, or the kind isn't there. */
async function listGroup(task: Task<ManifestsSpec>, [first]: readonly Looked[]): Promise<Listed | undefined> {
  if (!first) return undefined;
  const { kube: client } = task;
  const { resource, name } = first;
  const place = { client, resource, namespace: name.namespace, limit: pageSize };
  const found = new Map<string, KubeMetadata>();
  let continueToken: string | undefined;
  try {
    for (let page = 0; page < maxPages; page++) {
      const list = await read(task, (signal) => listMetadata({ ...place, continueToken, signal }));
      for (const metadata of list.items) found.set(metadata.name, metadata);
      continueToken = list.continueToken;
      if (continueToken === undefined) return { found, isWhole: true };
    }
  } catch (error) {
    if (isDenied(error) || kubeErrors.is(error, "KUBE_NOT_FOUND", "KUBE_GONE")) return undefined;
    throw error;
  }
  return { found, isWhole: false };
}

const worthListing = 8;
const pageSize = 500;
/** A namespace may hold far more than a set has. */
const maxPages = 4;
