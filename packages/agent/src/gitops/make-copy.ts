// An object of the cluster as a part of the hub says it should be. Pure.
import {
  type GitopsKind,
  type GitopsObject,
  gitopsResources,
  isCarriedFinalizer,
  mergeAnnotations,
  toStampAnnotations,
  withoutStamps,
} from "@fairlead/protocol";
import { type CopiedPart, copyKinds, type Place, stateOf } from "./copy-kinds.ts";

export interface WantedCopy {
  readonly sourceUid: string;
  readonly hubUid: string;
  readonly version: bigint;
  readonly part: CopiedPart;
  readonly place: Place;
}

/** `there`: what is at its place, of which everything stays that isn't carried: status, operation, others' finalizers. */
export function makeCopy(kind: GitopsKind, wanted: WantedCopy, there: GitopsObject | undefined): GitopsObject {
  const { sourceUid, hubUid, version, part, place } = wanted;
  const { group, version: apiVersion, kind: name } = gitopsResources[kind];
  const { labels, annotations, finalizers } = part.metadata;
  const others = (there?.metadata.finalizers ?? []).filter((finalizer) => !isCarriedFinalizer(finalizer));
  const copy: GitopsObject = {
    ...(there ?? { apiVersion: group === "" ? apiVersion : `${group}/${apiVersion}`, kind: name }),
    ...copyKinds[kind].toFields(part),
    metadata: {
      ...(there?.metadata ?? { namespace: place.namespace, name: place.name }),
      labels,
      annotations: mergeAnnotations(annotations, withoutStamps(there?.metadata.annotations)),
      finalizers: [...new Set([...finalizers, ...others])],
    },
  } as GitopsObject;
  const stamps = { sourceUid, hubUid, version, writtenHash: 0n, remappedFrom: place.remappedFrom };
  const writtenHash = stateOf(kind, withAnnotations(copy, toStampAnnotations(stamps)));
  return withAnnotations(copy, toStampAnnotations({ ...stamps, writtenHash }));
}

/** Empties a copy that Argo CD needs to be there: it loses the hub's data and stamps. */
export function emptyCopy(object: GitopsObject): GitopsObject {
  return {
    ...object,
    data: {},
    metadata: { ...object.metadata, annotations: withoutStamps(object.metadata.annotations) },
  };
}

function withAnnotations(object: GitopsObject, more: Readonly<Record<string, string>>): GitopsObject {
  const annotations = { ...object.metadata.annotations, ...more };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
