// An object of the hub that shows one of an autonomous cluster: how it is made, and how it is told from others. Pure.
import {
  type Application,
  type GitopsObject,
  gitopsPlaces,
  hashOf,
  ignoreLabel,
  isCarriedFinalizer,
  mergeAnnotations,
  readStamps,
  staysBehind,
  toProjectPart,
  toSpecPart,
  toStampAnnotations,
} from "@fairlead/protocol";
import { toMirroredSpec } from "./application.ts";
import { clusterLabel, copiedAnnotation, sourceNameAnnotation } from "./marks.ts";
import type { MirroredPart } from "./part.ts";
import { type MirroredKind, type MirrorPlace, type MirrorPlaces, toProjectName } from "./places.ts";
import { toMirroredProject } from "./project.ts";

export interface WantedMirror {
  readonly sourceUid: string;
  readonly hubUid: string;
  readonly version: bigint;
  readonly part: MirroredPart;
  readonly place: MirrorPlace;
}

/** `there`: what is at its place, of which everything stays that isn't carried: status, operation, others' finalizers. */
export function makeMirror(
  kind: MirroredKind,
  { cluster }: Pick<MirrorPlaces, "cluster">,
  wanted: WantedMirror,
  there: GitopsObject | undefined,
): GitopsObject {
  const { sourceUid, hubUid, version, part, place } = wanted;
  const { name, namespace, labels, annotations, finalizers } = part.metadata;
  const { group, version: apiVersion, kind: type } = gitopsPlaces[kind];
  const carried = Object.entries(annotations).filter(([annotation]) => !staysBehind(annotation));
  const { ownerReferences: _owners, ...metadata }: GitopsObject["metadata"] = there?.metadata ?? { ...place };
  const others = (there?.metadata.finalizers ?? []).filter((finalizer) => !isCarriedFinalizer(finalizer));
  const wasCopied = part.copyOf !== undefined && part.copyOf === there?.metadata.uid;
  const mirror: GitopsObject = {
    ...(there ?? { apiVersion: `${group}/${apiVersion}`, kind: type }),
    spec:
      kind === "applications"
        ? toMirroredSpec(part.spec, cluster)
        : toMirroredProject(part.spec, { cluster, project: name }),
    metadata: {
      ...metadata,
      // It goes to no cluster, and shows up in no mirror of the hub's own cluster.
      labels: { ...labels, [clusterLabel]: cluster, [ignoreLabel]: "true" },
      annotations: {
        ...mergeAnnotations(Object.fromEntries(carried), there?.metadata.annotations),
        ...(wasCopied && { [copiedAnnotation]: "true" }),
        [sourceNameAnnotation]: `${namespace}/${name}`,
      },
      finalizers: [...new Set([...finalizers.filter(isCarriedFinalizer), ...others])],
    },
  } as GitopsObject;
  const stamps = { sourceUid, hubUid, version, writtenHash: 0n };
  const writtenHash = mirrorStateOf(kind, stamped(mirror, stamps));
  return stamped(mirror, { ...stamps, writtenHash });
}

/** Tells whether a mirror is still what was written: of which object it is one, and all of it that is carried. */
export function mirrorStateOf(kind: MirroredKind, object: GitopsObject): bigint {
  const part = kind === "applications" ? toSpecPart(object as Application) : toProjectPart(object);
  const finalizers = part.metadata.finalizers.filter(isCarriedFinalizer).toSorted();
  const source = [readStamps(object.metadata)?.sourceUid, object.metadata.annotations?.[sourceNameAnnotation]];
  return hashOf({ ...part, metadata: { ...part.metadata, finalizers }, source });
}

export interface MirrorStamps {
  readonly sourceUid: string;
  /** In the cluster, namespace and name. */
  readonly sourceName: string;
}

/** Undefined: it is no mirror of this cluster's. Who copies a mirror under another name, stamps and all, makes no second one. */
export function readMirror(
  kind: MirroredKind,
  { cluster }: Pick<MirrorPlaces, "cluster">,
  { metadata }: GitopsObject,
): MirrorStamps | undefined {
  const sourceUid = readStamps(metadata)?.sourceUid;
  const sourceName = metadata.annotations?.[sourceNameAnnotation];
  if (sourceUid === undefined || sourceName === undefined) return undefined;
  const [, name = ""] = sourceName.split("/");
  const nameHere = kind === "applications" ? name : toProjectName(cluster, name);
  return nameHere === metadata.name ? { sourceUid, sourceName } : undefined;
}

/** Tells mirrors of any cluster from the hub's own objects. */
export function isMirror({ metadata }: GitopsObject): boolean {
  return readStamps(metadata) !== undefined && metadata.annotations?.[sourceNameAnnotation] !== undefined;
}

function stamped(object: GitopsObject, stamps: Parameters<typeof toStampAnnotations>[0]): GitopsObject {
  const annotations = { ...object.metadata.annotations, ...toStampAnnotations(stamps) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
