// Where the objects of an autonomous cluster are on the hub. Pure. What a cluster says of names is checked here: nothing
// else says where something is written.
import type { GitopsKind, ReplicaRefusal } from "@fairlead/protocol";

export type MirroredKind = Extract<GitopsKind, "applications" | "projects">;

export interface MirrorPlaces {
  readonly cluster: string;
  /** On the hub, of the cluster's applications. */
  readonly namespace: string;
  /** On the hub, of projects. */
  readonly projectNamespace: string;
  /** Whether the hub knows a cluster of that name. */
  readonly isCluster: (name: string) => boolean;
}

export interface MirrorPlace {
  readonly namespace: string;
  readonly name: string;
}

export type FoundPlace =
  | { readonly is: "here"; readonly place: MirrorPlace }
  | { readonly is: "nowhere"; readonly refusal: ReplicaRefusal };

/** `there`: where the object is in the cluster. */
export function findPlace(kind: MirroredKind, places: MirrorPlaces, there: MirrorPlace): FoundPlace {
  if (!isSubdomain(there.name) || !isLabel(there.namespace)) return nowhere("invalid", unnamed);
  if (kind === "applications") return { is: "here", place: { namespace: places.namespace, name: there.name } };
  const name = toProjectName(places.cluster, there.name);
  if (name.length > maxNameLength)
    return nowhere("invalid", `On the hub its name would be ${name}, which is longer than ${maxNameLength} letters.`);
  const owner = ownerOfProjectName(name, places);
  if (owner !== places.cluster)
    return nowhere("taken", `On the hub its name would be ${name}, which is for projects of the cluster ${owner}.`);
  return { is: "here", place: { namespace: places.projectNamespace, name } };
}

/** Two clusters' projects are never one, so long as each name is for one of them: see `ownerOfProjectName`. */
export function toProjectName(cluster: string, project: string): string {
  return `${cluster}-${project || "default"}`;
}

/**
 * `a-b-c` may be the project `b-c` of the cluster `a` and the project `c` of the cluster `a-b`. It is for the longest name
 * of a cluster that there is, so that no cluster can take a name away from another one.
 */
function ownerOfProjectName(name: string, { cluster, isCluster }: MirrorPlaces): string {
  for (let end = Math.min(name.lastIndexOf("-"), maxLabelLength); end > cluster.length; end--) {
    if (name[end] === "-" && isCluster(name.slice(0, end))) return name.slice(0, end);
  }
  return cluster;
}

function isSubdomain(text: string): boolean {
  return text.length <= maxNameLength && text.split(".").every((part) => labelPattern.test(part));
}

function isLabel(text: string): boolean {
  return text.length <= maxLabelLength && labelPattern.test(text);
}

function nowhere(reason: "invalid" | "taken", message: string): FoundPlace {
  return { is: "nowhere", refusal: { reason, message, retryAfterMs: 0 } };
}

const maxNameLength = 253;
const maxLabelLength = 63;
const labelPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const unnamed = "Its name or namespace isn't one of a Kubernetes object.";
