// An object of the hub that shows one of an autonomous cluster: how it is made, and how it is told from others. Pure.
import {
  type Application,
  type GitopsObject,
  gitopsResources,
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
import type { MirrorPolicy } from "../types.ts";
import { toMirroredSpec } from "./application.ts";
import { clusterLabel, copiedAnnotation, rulesAnnotation, sourceNameAnnotation } from "./marks.ts";
import {
  type MirroredKind,
  type MirrorLocation,
  type MirrorNamespaces,
  toFormerProjectName,
  toProjectName,
} from "./mirror-location.ts";
import type { MirroredPart } from "./part.ts";
import { keepNames, toRulesMark } from "./policy.ts";
import { toMirroredProject } from "./project.ts";

export interface WantedMirror {
  readonly sourceUid: string;
  readonly hubUid: string;
  readonly version: bigint;
  readonly part: MirroredPart;
  readonly place: MirrorLocation;
}

/** What the hub knows of a cluster, and lets its mirrors have. */
export interface MirrorRules {
  readonly cluster: string;
  /** The address of the cluster's API at the hub, where the hub has one. */
  readonly server: string | undefined;
  readonly policy: MirrorPolicy;
}

/**
 * `there`: what is at its place, of which everything stays that isn't carried: status, operation, others' finalizers. Of the
 * cluster's own finalizers and owners it has none: those would have the hub's Argo CD or API server delete something.
 */
export function makeMirror(
  kind: MirroredKind,
  rules: MirrorRules,
  wanted: WantedMirror,
  there: GitopsObject | undefined,
): GitopsObject {
  const { cluster, server, policy } = rules;
  const { sourceUid, hubUid, version, part, place } = wanted;
  const { name, namespace, labels, annotations } = part.metadata;
  const { group, version: apiVersion, kind: type } = gitopsResources[kind];
  const carried = Object.entries(keepNames(annotations, policy)).filter(([annotation]) => !staysBehind(annotation));
  const { ownerReferences: _owners, ...metadata }: GitopsObject["metadata"] = there?.metadata ?? { ...place };
  const own = Map.groupBy(there?.metadata.finalizers ?? [], isCarriedFinalizer);
  const wasCopied = part.copyOf !== undefined && part.copyOf === there?.metadata.uid;
  const mirror: GitopsObject = {
    ...(there ?? { apiVersion: `${group}/${apiVersion}`, kind: type }),
    spec:
      kind === "applications"
        ? toMirroredSpec(part.spec, cluster)
        : toMirroredProject(part.spec, { cluster, server, policy, project: name }),
    metadata: {
      ...metadata,
      // It goes to no cluster, and shows up in no mirror of the hub's own cluster.
      labels: { ...keepNames(labels, policy), [clusterLabel]: cluster, [ignoreLabel]: "true" },
      annotations: {
        ...mergeAnnotations(Object.fromEntries(carried), there?.metadata.annotations),
        ...(wasCopied && { [copiedAnnotation]: readCopied(there) ?? (own.get(true)?.join(",") || "true") }),
        [sourceNameAnnotation]: `${namespace}/${name}`,
        [rulesAnnotation]: toRulesMark(policy, server),
      },
      finalizers: own.get(false) ?? [],
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

/** Undefined: it is no mirror of this cluster's. Whoever copies a mirror under another name, stamps and all, makes no second one. */
export function readMirror(
  kind: MirroredKind,
  { cluster }: Pick<MirrorNamespaces, "cluster">,
  { metadata }: GitopsObject,
): MirrorStamps | undefined {
  const sourceUid = readStamps(metadata)?.sourceUid;
  const sourceName = metadata.annotations?.[sourceNameAnnotation];
  if (sourceUid === undefined || sourceName === undefined) return undefined;
  const [, name = ""] = sourceName.split("/");
  const nameHere = kind === "applications" ? name : toProjectName(cluster, name);
  const isFormer = kind === "projects" && isFormerProject({ cluster, name }, { metadata });
  return nameHere === metadata.name || isFormer ? { sourceUid, sourceName } : undefined;
}

/** Written before the hub told clusters' projects apart by a dot. Another cluster's may have the same name. */
function isFormerProject(of: { readonly cluster: string; readonly name: string }, { metadata }: Named): boolean {
  if (metadata.labels?.[clusterLabel] !== of.cluster) return false;
  return toFormerProjectName(of.cluster, of.name) === metadata.name;
}

/** Tells mirrors of any cluster from the hub's own objects. */
export function isMirror({ metadata }: Named): boolean {
  return readStamps(metadata) !== undefined && metadata.annotations?.[sourceNameAnnotation] !== undefined;
}

type Named = Pick<GitopsObject, "metadata">;

function readCopied(object: Named | undefined): string | undefined {
  return object?.metadata.annotations?.[copiedAnnotation];
}

/** Another cluster's end wrote it last. */
export function isMirrorOfOther(cluster: string, object: Named): boolean {
  const { [clusterLabel]: owner = cluster } = object.metadata.labels ?? {};
  return owner !== cluster && isMirror(object);
}

function stamped(object: GitopsObject, stamps: Parameters<typeof toStampAnnotations>[0]): GitopsObject {
  const annotations = { ...object.metadata.annotations, ...toStampAnnotations(stamps) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
