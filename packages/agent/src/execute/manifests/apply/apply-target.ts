import { sleep } from "@fairlead/kernel";
import { applyObject, getObject, type KubeObject, kubeErrors, statusOf } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { act, read } from "../attempt.ts";
import { manifestsErrors } from "../errors.ts";
import type { Target } from "../prepare/target.ts";
import type { ManifestsSpec } from "../types.ts";

/** Makes the object what the set wants, and returns it as it is then. */
export async function applyTarget(options: {
  readonly task: Task<ManifestsSpec>;
  readonly target: Target;
  /** The set brought the kind just now. */
  readonly isNewKind: boolean;
}): Promise<KubeObject> {
  const { task, target, isNewKind } = options;
  const startedAtMs = task.clock.steadyMs();
  for (;;) {
    const elapsedMs = task.clock.steadyMs() - startedAtMs;
    try {
      const object = await act(task, (signal) => send({ task, target, isDryRun: false, signal }));
      if (object.metadata.deletionTimestamp === undefined) return object;
      await untilGone(task, target, object);
    } catch (error) {
      if (!isKindMissing(error, target)) throw error;
      const { apiVersion, kind } = target.name;
      // A kind is listed before all of its API server takes objects of it.
      if (!isNewKind || elapsedMs > newKindMs) throw manifestsErrors.MANIFESTS_KIND_UNKNOWN({ apiVersion, kind });
      await sleep(pollMs, { clock: task.clock, signal: task.signal });
    }
  }
}

export function send(options: {
  readonly task: Task<ManifestsSpec>;
  readonly target: Target;
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
}): Promise<KubeObject> {
  const { task, target, isDryRun, signal } = options;
  const { resource, name, object } = target;
  const { kube: client, spec } = task;
  return applyObject({ client, resource, ...name, object, fieldManager, isForced: spec.force, isDryRun, signal });
}

/** The object was on its way out before: what was applied goes with it. */
async function untilGone(task: Task<ManifestsSpec>, { resource, name }: Target, dying: KubeObject): Promise<void> {
  const { kube: client, clock, spec } = task;
  const deadlineMs = clock.steadyMs() + (spec.waitTimeoutSeconds ?? unaskedWaitSeconds) * 1000;
  for (;;) {
    const found = await read(task, (signal) => getObject({ client, resource, ...name, signal }));
    if (!found || found.metadata.uid !== dying.metadata.uid) return;
    if (clock.steadyMs() > deadlineMs) throw manifestsErrors.MANIFESTS_TERMINATING({ detail: whatHolds(found) });
    await sleep(pollMs, { clock, signal: task.signal });
  }
}

function whatHolds({ metadata }: KubeObject): string {
  const { finalizers = [] } = metadata;
  return finalizers.length === 0 ? "no finalizers are left" : `finalizers: ${finalizers.join(", ")}`;
}

/** Not for an object, nor for a namespace, that isn't there. */
export function isKindMissing(error: unknown, { name }: Pick<Target, "name">): boolean {
  if (!kubeErrors.is(error, "KUBE_NOT_FOUND")) return false;
  const missing = statusOf(error)?.details?.["name"];
  return missing === undefined || (missing !== name.name && missing !== name.namespace);
}

const fieldManager = "fairlead";
const pollMs = 250;
const newKindMs = 30_000;
const unaskedWaitSeconds = 30;
