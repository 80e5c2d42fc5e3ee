// How each kind that comes from the hub is written in the cluster. Pure.
import {
  type Application,
  type CarriedMetadata,
  type DataPart,
  type GitopsKind,
  type GitopsMapping,
  type GitopsObject,
  hashOf,
  isCarriedFinalizer,
  type ProjectPart,
  readStamps,
  type SpecPart,
  toDataPart,
  toProjectPart,
  toSpecPart,
} from "@fairlead/protocol";

export interface CopiedPart {
  readonly metadata: CarriedMetadata;
}

export interface Placement {
  readonly mapping: GitopsMapping;
  readonly argoNamespace: string;
  /** On the hub: with the mapping by destination their applications are in Argo CD's own, too. */
  readonly remappedNamespaces: readonly string[];
}

export interface CopyKind {
  /** The part of an object that is compared. */
  toPart(object: GitopsObject): CopiedPart;
  /** The fields of a copy beside its metadata. */
  toFields(part: CopiedPart): Readonly<Record<string, unknown>>;
  /** Argo CD needs the object: it is emptied instead of deleted, and always taken over. */
  readonly isFixture: boolean;
}

export const copyKinds: Readonly<Record<GitopsKind, CopyKind>> = {
  applications: {
    toPart: (object) => toSpecPart(object as Application),
    toFields: (part) => ({ spec: toLocalSpec((part as SpecPart).spec) }),
    isFixture: false,
  },
  projects: {
    toPart: toProjectPart,
    toFields: (part) => ({ spec: (part as ProjectPart).spec }),
    isFixture: false,
  },
  repositories: {
    toPart: toDataPart,
    toFields: (part) => ({ data: (part as DataPart).data, type: (part as DataPart).type || "Opaque" }),
    isFixture: false,
  },
  "gpg-keys": configMap(),
  "known-hosts": configMap(),
  "tls-certs": configMap(),
};

/** Where the copy is. By namespace all copies are in Argo CD's own; by destination most applications keep theirs. */
export function placeOf(kind: GitopsKind, { namespace, name }: CarriedMetadata, placement: Placement): Place {
  const { mapping, argoNamespace, remappedNamespaces } = placement;
  const isKept = mapping === "destination" && kind === "applications" && !remappedNamespaces.includes(namespace);
  const place = { namespace: isKept ? namespace : argoNamespace, name };
  const isTold = mapping === "destination" && kind === "applications" && place.namespace === argoNamespace;
  return { ...place, ...(isTold && { remappedFrom: namespace }) };
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
  /** The namespace on the hub, of an application that the mapping by destination puts into Argo CD's own. */
  readonly remappedFrom?: string;
}

/**
 * Tells whether a copy is still what was written: of whom it is a copy, and all of it that is carried. Finalizers that
 * controllers of the cluster add are theirs.
 */
export function stateOf(kind: GitopsKind, object: GitopsObject): bigint {
  const part = copyKinds[kind].toPart(object);
  const finalizers = part.metadata.finalizers.filter(isCarriedFinalizer);
  const { sourceUid: source = "", remappedFrom } = readStamps(object.metadata) ?? {};
  return hashOf({ ...part, metadata: { ...part.metadata, finalizers }, source, remappedFrom });
}

/** The cluster's Argo CD deploys to its own cluster, whatever its name is on the hub. */
function toLocalSpec(spec: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { server: _server, ...destination } = (spec["destination"] ?? {}) as Record<string, unknown>;
  return { ...spec, destination: { ...destination, name: "in-cluster" } };
}

function configMap(): CopyKind {
  return { toPart: toDataPart, toFields: (part) => ({ data: (part as DataPart).data }), isFixture: true };
}
