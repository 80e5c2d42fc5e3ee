// Decides what to do with an object of the cluster, from what the hub says of it and what is there. Pure.
import {
  type Departure,
  type GitopsKind,
  type GitopsObject,
  isCarriedFinalizer,
  isIgnored,
  type ReplicaRefusal,
  readStamps,
} from "@fairlead/protocol";
import { copyKinds, stateOf } from "./copy-kinds.ts";
import { emptyCopy, makeCopy, type WantedCopy } from "./make-copy.ts";
import { isMeant } from "./meant.ts";
import type { CopyRules } from "./types.ts";

export interface Situation {
  readonly kind: GitopsKind;
  readonly sourceUid: string;
  /** Undefined: the hub says that it is gone. */
  readonly wanted: WantedCopy | undefined;
  /** How the hub's object went. Undefined: it is there, or the hub is too old to say. */
  readonly departure?: Departure | undefined;
  /** The object at its place. Where the hub's object is gone: its copy. */
  readonly there: GitopsObject | undefined;
  /** It was this object that was written before, whatever its annotations say now. */
  readonly isOurs: boolean;
  /** Of a project: the applications here that are in it. Undefined: they aren't known yet. */
  readonly users?: readonly string[] | undefined;
  /** Where else there is a copy of the same object of the hub. */
  readonly elsewhere?: GitopsObject | undefined;
  /** The namespace on the hub from which what is there is, if it is a copy; undefined: that doesn't matter. */
  readonly origin?: string | undefined;
  readonly rules: CopyRules;
}

export type Decision =
  | { readonly do: "create"; readonly object: GitopsObject }
  | { readonly do: "replace"; readonly object: GitopsObject }
  | { readonly do: "delete"; readonly object: GitopsObject }
  /** Writes what it needs before it is deleted, or while it is. What is to be done then is decided anew. */
  | { readonly do: "prepare"; readonly object: GitopsObject }
  /** Deletes it without what it deployed, and makes the copy then. */
  | { readonly do: "recreate"; readonly object: GitopsObject }
  /** Until the object that is being deleted is gone. */
  | { readonly do: "wait"; readonly object: GitopsObject }
  /** It is as it should be. */
  | { readonly do: "leave" }
  | { readonly do: "refuse"; readonly refusal: ReplicaRefusal };

export function decide(situation: Situation): Decision {
  const { kind, sourceUid, wanted, there, isOurs, elsewhere } = situation;
  const source = there && readStamps(there.metadata)?.sourceUid;
  const isCopy = there !== undefined && (isOurs || source === sourceUid);
  // Not even an object that has our stamps: they are annotations, which others can write as well.
  if (there !== undefined && !isMeant(kind, there.metadata))
    return wanted === undefined ? leave : taken(there, "is none of those that are replicated");
  if (wanted !== undefined && !isMeant(kind, wanted.part.metadata)) return { do: "refuse", refusal: notMeant };
  if (wanted === undefined) return isCopy ? letGo(situation, there, situation.departure?.finalizers) : leave;
  const { isDeleting, finalizers } = wanted.part.metadata;
  if (isDeleting) return isCopy ? letGo(situation, there, finalizers) : leave;
  if (there === undefined)
    return elsewhere ? hasMoved(elsewhere) : { do: "create", object: makeCopy(kind, wanted, undefined) };
  if (isBeingDeleted(there)) return { do: "wait", object: there };
  if (isCopy) return makeAlike(kind, wanted, there);
  return source === undefined ? adopt(situation, wanted, there) : takeFromOther(situation, wanted, there);
}

/** With the finalizers that the hub's object had at last, whatever the copy has. */
function letGo(situation: Situation, there: GitopsObject, wanted: readonly string[] | undefined): Decision {
  const { kind } = situation;
  if (copyKinds[kind].isFixture) return { do: "replace", object: emptyCopy(there) };
  const isInUse = kind === "projects" && situation.users?.length !== 0 && !isBeingDeleted(there);
  if (isInUse) return keepUsed(situation, there);
  const { finalizers = [] } = there.metadata;
  const asked = wanted?.filter(isCarriedFinalizer) ?? finalizers.filter(isCarriedFinalizer);
  const others = finalizers.filter((finalizer) => !isCarriedFinalizer(finalizer));
  // An object that is being deleted gets no more of them.
  const may = isBeingDeleted(there) ? asked.filter((finalizer) => finalizers.includes(finalizer)) : asked;
  const next = [...new Set([...may, ...others])];
  if (next.length !== finalizers.length || next.some((finalizer) => !finalizers.includes(finalizer)))
    return { do: "prepare", object: { ...there, metadata: { ...there.metadata, finalizers: next } } };
  return isBeingDeleted(there) ? leave : { do: "delete", object: there };
}

/**
 * Argo CD can't delete an application whose project is gone, so a project goes after its applications. One that isn't for
 * this cluster any more allows them nothing meanwhile.
 */
function keepUsed({ users, departure }: Situation, there: GitopsObject): Decision {
  const spec = (there["spec"] ?? {}) as { readonly destinations?: readonly unknown[] };
  if (users !== undefined && departure?.isWithdrawn && (spec.destinations ?? []).length > 0)
    return { do: "prepare", object: { ...there, spec: { ...spec, destinations: [] } } };
  const [one, ...more] = users ?? [];
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  const message =
    one === undefined
      ? "The agent doesn't know yet which applications in the cluster use the project."
      : `Applications in the cluster use the project: ${one}${others}. It is deleted after them.`;
  return { do: "refuse", refusal: { reason: "unavailable", message, retryAfterMs: usedRetryMs } };
}

function makeAlike(kind: GitopsKind, wanted: WantedCopy, there: GitopsObject): Decision {
  const object = makeCopy(kind, wanted, there);
  const [stamps, made] = [readStamps(there.metadata), readStamps(object.metadata)];
  const isStamped = stamps?.version === made?.version && stamps?.hubUid === made?.hubUid;
  const isSame =
    isStamped && stamps?.writtenHash === made?.writtenHash && stateOf(kind, there) === stateOf(kind, object);
  return isSame ? leave : { do: "replace", object };
}

function adopt({ kind, rules }: Situation, wanted: WantedCopy, there: GitopsObject): Decision {
  if (isIgnored(there)) return taken(there, "is labelled so that it isn't replicated");
  const isAllowed = rules.adoption === "always" || copyKinds[kind].isFixture;
  if (!isAllowed) return taken(there, "isn't a copy of the hub's, and the hub's rules say not to take it over");
  return { do: "replace", object: makeCopy(kind, wanted, there) };
}

/**
 * If two objects of the hub have the same place, the first one stays. An object that was made anew under the same name
 * replaces it, because people take both for the same. The copy of another hub is taken over in place: this hub may have
 * been set up in that one's stead, and then nothing is to be deleted.
 */
function takeFromOther(situation: Situation, wanted: WantedCopy, there: GitopsObject): Decision {
  const { kind, rules, origin, users } = situation;
  if (readStamps(there.metadata)?.hubUid !== wanted.hubUid) return adopt(situation, wanted, there);
  if (origin !== undefined && origin !== wanted.part.metadata.namespace)
    return taken(there, `is the copy of ${origin}/${there.metadata.name} on the hub`, takenRetryMs);
  const isInUse = kind === "projects" && users?.length !== 0;
  if (rules.onUidMismatch === "recreate" && !copyKinds[kind].isFixture && !isInUse)
    return { do: "recreate", object: there };
  return { do: "replace", object: makeCopy(kind, wanted, there) };
}

/** Two copies would deploy the same resources. */
function hasMoved({ metadata: { namespace, name } }: GitopsObject): Decision {
  const message = `Its copy in the cluster is ${namespace}/${name}. Delete that copy, without its resources, to create it here.`;
  return { do: "refuse", refusal: { reason: "taken", message, retryAfterMs: takenRetryMs } };
}

function taken({ metadata: { namespace, name } }: GitopsObject, why: string, retryAfterMs = 0): Decision {
  const message = `${namespace}/${name} in the cluster ${why}.`;
  return { do: "refuse", refusal: { reason: "taken", message, retryAfterMs } };
}

function isBeingDeleted({ metadata }: GitopsObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

const notMeant: ReplicaRefusal = {
  reason: "invalid",
  message: "The agent accepts only Secrets of repositories and Argo CD's three ConfigMaps.",
  retryAfterMs: 0,
};
const leave: Decision = { do: "leave" };
const takenRetryMs = 30_000;
const usedRetryMs = 2_000;
