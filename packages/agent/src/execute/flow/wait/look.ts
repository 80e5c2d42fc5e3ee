// Reads the objects that a step waits for.
import { type ApiResource, getObject, type KubeObject, kubeErrors, listObjects, readVersion } from "@fairlead/kube";
import { read } from "../../manifests/attempt.ts";
import { splitApiVersion } from "../../manifests/object-name.ts";
import type { Task } from "../../types.ts";
import { flowErrors } from "../errors.ts";
import type { WaitSpec } from "./types.ts";

/** Undefined when the cluster has no such kind at this moment. */
export async function findKind(task: Task<WaitSpec>): Promise<ApiResource | undefined> {
  const { kube: client, spec } = task;
  try {
    const kinds = await read(task, (signal) => readVersion({ client, signal, ...splitApiVersion(spec.apiVersion) }));
    return kinds.find(({ kind, resource }) => kind === spec.kind && !resource.includes("/"));
  } catch (error) {
    if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** In the order of their names. Throws FLOW_WAIT_TOO_MANY. */
export async function findObjects(task: Task<WaitSpec>, resource: ApiResource): Promise<readonly KubeObject[]> {
  const { kube: client, spec } = task;
  const { name, selector: labelSelector } = spec;
  const namespace = placeOf(spec, resource);
  if (name !== undefined) {
    const found = await read(task, (signal) => getObject({ client, resource, namespace, name, signal }));
    return found === undefined ? [] : [found];
  }
  return await read(task, async (signal) => {
    const found: KubeObject[] = [];
    for await (const page of listObjects({ client, resource, namespace, labelSelector, signal })) {
      found.push(...page);
      if (found.length > maxObjects) throw flowErrors.FLOW_WAIT_TOO_MANY({ limit: maxObjects });
    }
    return found.toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  });
}

/** Undefined for kinds that are in no namespace. */
export function placeOf({ namespace }: WaitSpec, { namespaced }: ApiResource): string | undefined {
  return namespaced ? namespace : undefined;
}

const maxObjects = 500;
