// Decides the outcome of a write from the object that is there. Pure. As in the Kubernetes API, a write replaces one
// version of one object, and an object that is being deleted goes with its last finalizer.
import { type GitopsKind, type GitopsMetadata, type GitopsObject, hashOf } from "@fairlead/protocol";
import type { HubWriteResult } from "../types.ts";
import { findFault } from "./find-fault.ts";

export type WriteDecision =
  | { readonly is: "create" | "replace"; readonly object: GitopsObject }
  /** It goes. `object` is what it was at last. */
  | { readonly is: "delete"; readonly object: GitopsObject }
  /** Nothing is to be written. */
  | { readonly is: "answer"; readonly result: HubWriteResult };

export function decideWrite(options: {
  readonly kind: GitopsKind;
  readonly wanted: GitopsObject;
  readonly there: GitopsObject | undefined;
  readonly mayCreate: boolean;
  readonly newUid: () => string;
  readonly nowMs: number;
}): WriteDecision {
  const { kind, wanted, there, mayCreate, newUid, nowMs } = options;
  const fault = findFault(kind, wanted);
  if (fault !== undefined) return refuse(fault);
  if (wanted.metadata.uid === undefined) {
    if (!mayCreate) return answer({ is: "missing" });
    if (there !== undefined) return answer({ is: "conflict" });
    const given = { uid: newUid(), creationTimestamp: toTimestamp(nowMs) };
    return { is: "create", object: withOwn(wanted, given) };
  }
  if (there?.metadata.uid !== wanted.metadata.uid) return answer({ is: "missing" });
  if (there.metadata.resourceVersion !== wanted.metadata.resourceVersion) return answer({ is: "conflict" });
  return decideReplacement(there, withOwn(wanted, pickOwn(there.metadata)));
}

/** Undefined: there is nothing to do any more. */
export function decideRemoval(there: GitopsObject, nowMs: number): WriteDecision | undefined {
  const { finalizers = [], deletionTimestamp } = there.metadata;
  if (finalizers.length === 0) return { is: "delete", object: there };
  if (deletionTimestamp !== undefined) return undefined;
  const own = { ...pickOwn(there.metadata), deletionTimestamp: toTimestamp(nowMs) };
  return { is: "replace", object: withOwn(there, own) };
}

function decideReplacement(there: GitopsObject, object: GitopsObject): WriteDecision {
  const { finalizers = [], deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined) {
    const before = there.metadata.finalizers ?? [];
    const added = finalizers.find((finalizer) => !before.includes(finalizer));
    if (added !== undefined) return refuse(`it is being deleted, so it can't get the finalizer ${added}`);
    if (finalizers.length === 0) return { is: "delete", object };
  }
  const isSame = hashOf(object) === hashOf(withOwn(there, pickOwn(there.metadata)));
  return isSame ? answer({ is: "written", object: there }) : { is: "replace", object };
}

/** Sets the fields that only the store may set. The resource version is added when the object is read. */
function withOwn({ metadata, ...rest }: GitopsObject, own: OwnMetadata): GitopsObject {
  const { uid: _, resourceVersion: _v, creationTimestamp: _c, deletionTimestamp: _d, ...free } = metadata;
  return { ...rest, metadata: { ...free, ...own } } as GitopsObject;
}

function pickOwn({ uid, creationTimestamp, deletionTimestamp }: GitopsMetadata): OwnMetadata {
  return {
    ...(uid === undefined ? {} : { uid }),
    creationTimestamp,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
}

function refuse(message: string): WriteDecision {
  return answer({ is: "refused", refusal: { reason: "invalid", message, retryAfterMs: 0 } });
}

function answer(result: HubWriteResult): WriteDecision {
  return { is: "answer", result };
}

/** As Kubernetes writes times: whole seconds. */
function toTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

interface OwnMetadata {
  readonly uid?: string;
  readonly creationTimestamp: unknown;
  readonly deletionTimestamp?: string;
}
