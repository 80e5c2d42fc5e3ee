// Where the objects of an autonomous cluster are on the hub. Pure. What a cluster says of names is checked here: nothing
// else says where something is written.
import type { GitopsKind, ReplicaRefusal } from "@fairlead/protocol";

export type MirroredKind = Extract<GitopsKind, "applications" | "projects">;

export interface MirrorNamespaces {
  readonly cluster: string;
  /** On the hub, of the cluster's applications. */
  readonly namespace: string;
  /** On the hub, of projects. */
  readonly projectNamespace: string;
}

export interface MirrorLocation {
  readonly namespace: string;
  readonly name: string;
}

export type FoundLocation =
  | { readonly is: "here"; readonly place: MirrorLocation }
  | { readonly is: "nowhere"; readonly refusal: ReplicaRefusal };

/** `there`: where the object is in the cluster. */
export function findLocation(kind: MirroredKind, places: MirrorNamespaces, there: MirrorLocation): FoundLocation {
  if (!isSubdomain(there.name) || !isLabel(there.namespace)) return nowhere(unnamed);
  if (kind === "applications") return { is: "here", place: { namespace: places.namespace, name: there.name } };
  const name = toProjectName(places.cluster, there.name);
  if (name.length > maxNameLength)
    return nowhere(`On the hub its name would be ${name}, which is longer than ${maxNameLength} letters.`);
  return { is: "here", place: { namespace: places.projectNamespace, name } };
}

/** No two clusters have one: a cluster's name has no dot, so the first dot is where it ends. */
export function toProjectName(cluster: string, project: string): string {
  return `${cluster}.${project || "default"}`;
}

/** As hubs named it before: `a-b-c` was `b-c` of the cluster `a` and `c` of `a-b`. */
export function toFormerProjectName(cluster: string, project: string): string {
  return `${cluster}-${project || "default"}`;
}

/** The project in the cluster, by either name. Undefined: it is none of this cluster's. */
export function readProjectName(cluster: string, name: string): string | undefined {
  const isOurs = name.startsWith(`${cluster}.`) || name.startsWith(`${cluster}-`);
  return isOurs ? name.slice(cluster.length + 1) : undefined;
}

function isSubdomain(text: string): boolean {
  return text.length <= maxNameLength && text.split(".").every((part) => labelPattern.test(part));
}

function isLabel(text: string): boolean {
  return text.length <= maxLabelLength && labelPattern.test(text);
}

function nowhere(message: string): FoundLocation {
  return { is: "nowhere", refusal: { reason: "invalid", message, retryAfterMs: 0 } };
}

const maxNameLength = 253;
const maxLabelLength = 63;
const labelPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const unnamed = "Its name or namespace isn't one of a Kubernetes object.";
