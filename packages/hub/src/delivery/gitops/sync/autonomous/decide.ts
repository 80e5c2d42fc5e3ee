// Decides what to do with an object of the hub that mirrors one of an autonomous cluster. Pure.
import { type GitopsObject, hashOf, type ReplicaRefusal } from "@fairlead/protocol";
import { isMirror, type MirrorRules, makeMirror, readMirror, type WantedMirror } from "./mirror.ts";
import type { MirroredKind } from "./mirror-location.ts";

export interface MirrorSituation {
  readonly kind: MirroredKind;
  readonly rules: MirrorRules;
  readonly wanted: WantedMirror;
  /** The object at its place on the hub. */
  readonly there: GitopsObject | undefined;
  /** It was this object that was written before, whatever its annotations say now. */
  readonly isOurs: boolean;
}

export type MirrorDecision =
  | { readonly do: "create"; readonly object: GitopsObject }
  | { readonly do: "finalizers"; readonly object: GitopsObject }
  /** With the finalizers that are there; those that it is to have are written then. */
  | { readonly do: "replace"; readonly object: GitopsObject; readonly finalizers: readonly string[] }
  /** It is being deleted on the hub: it loses its finalizers, and is made again. */
  | { readonly do: "release"; readonly object: GitopsObject }
  /** It is as it should be. */
  | { readonly do: "leave" }
  | { readonly do: "refuse"; readonly refusal: ReplicaRefusal };

export function decideMirror(situation: MirrorSituation): MirrorDecision {
  const { kind, rules, wanted, there } = situation;
  if (there === undefined) return { do: "create", object: makeMirror(kind, rules, wanted, undefined) };
  const taken = whyTaken(situation, there);
  if (taken !== undefined) return { do: "refuse", refusal: { reason: "taken", message: taken, retryAfterMs: 0 } };
  if (there.metadata.deletionTimestamp !== undefined) return { do: "release", object: withFinalizers(there, []) };
  const mirror = makeMirror(kind, rules, wanted, there);
  const { finalizers = [] } = there.metadata;
  if (!isSameContent(withFinalizers(mirror, finalizers), there))
    return { do: "replace", object: withFinalizers(mirror, finalizers), finalizers: mirror.metadata.finalizers ?? [] };
  return hasSameFinalizers(mirror, there) ? { do: "leave" } : { do: "finalizers", object: mirror };
}

export function hasSameFinalizers(one: GitopsObject, other: GitopsObject): boolean {
  return hashOf(one.metadata.finalizers ?? []) === hashOf(other.metadata.finalizers ?? []);
}

export function withFinalizers(object: GitopsObject, finalizers: readonly string[]): GitopsObject {
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** Undefined: it may be written. */
function whyTaken({ kind, rules, wanted, isOurs }: MirrorSituation, there: GitopsObject): string | undefined {
  if (isOurs) return undefined;
  const { namespace, name, uid } = there.metadata;
  const mirror = readMirror(kind, rules, there);
  // A name in the cluster has one object at a time, so this one came after the other.
  if (mirror?.sourceName === `${wanted.part.metadata.namespace}/${wanted.part.metadata.name}`) return undefined;
  if (mirror !== undefined)
    return `${namespace}/${name} on the hub shows ${mirror.sourceName} of the cluster, which has the same name.`;
  if (kind === "applications" && wanted.part.copyOf !== undefined && wanted.part.copyOf === uid) return undefined;
  // The name is for this cluster, whichever had it before.
  if (kind === "projects" && isMirror(there)) return undefined;
  return `${namespace}/${name} on the hub is its own, and shows no object of the cluster.`;
}

function isSameContent(one: GitopsObject, other: GitopsObject): boolean {
  return toContentHash(one) === toContentHash(other);
}

function toContentHash({ spec, metadata: { labels, annotations } }: GitopsObject): bigint {
  return hashOf({ spec, labels: labels ?? {}, annotations: annotations ?? {} });
}
