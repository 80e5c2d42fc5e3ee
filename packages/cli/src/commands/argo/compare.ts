// Compares the hub's spec of an application with the one that the cluster's Argo CD compared its cluster with last.
// Pure.
import type { ApplicationDetail } from "@fairlead/contract";

export interface ComparedApplication {
  /** False: the cluster's Argo CD has compared nothing yet. */
  readonly isCompared: boolean;
  /** The changes that the cluster doesn't work by yet. */
  readonly spec: readonly SpecDifference[];
  /** The resources that differ from the source, as Argo CD says. */
  readonly resources: readonly OutOfSyncResource[];
}

export interface SpecDifference {
  readonly field: string;
  readonly hub: string;
  readonly cluster: string;
}

export interface OutOfSyncResource {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: string;
  readonly isToBePruned: boolean;
}

export function compareApplication({ spec, status }: Pick<ApplicationDetail, "spec" | "status">): ComparedApplication {
  const comparedTo = toMap(toMap(status["sync"])["comparedTo"]);
  const isCompared = Object.keys(comparedTo).length > 0;
  return {
    isCompared,
    spec: isCompared ? diffFields(pickCompared(spec), pickCompared(comparedTo)) : [],
    resources: toList(status["resources"]).map(toMap).filter(isOutOfSync).map(toResource),
  };
}

/** In the cluster the destination is always the cluster itself, so only its namespace can differ. */
function pickCompared(spec: Fields): Fields {
  const { source, sources, destination } = spec;
  return { source, sources, destination: { namespace: toMap(destination)["namespace"] } };
}

function diffFields(hub: Fields, cluster: Fields): SpecDifference[] {
  const [wanted, worked] = [flatten("", hub), flatten("", cluster)];
  const fields = [...new Set([...wanted.keys(), ...worked.keys()])];
  return fields
    .filter((field) => wanted.get(field) !== worked.get(field))
    .map((field) => ({ field, hub: wanted.get(field) ?? "", cluster: worked.get(field) ?? "" }));
}

/** By path; what is empty counts as missing, as Argo CD leaves it out. */
function flatten(path: string, value: unknown): Map<string, string> {
  if (value === undefined || value === null || value === "") return new Map();
  if (typeof value !== "object") return new Map([[path, String(value)]]);
  return new Map(
    Object.entries(value).flatMap(([key, inner]) => [...flatten(path === "" ? key : `${path}.${key}`, inner)]),
  );
}

function isOutOfSync({ status, requiresPruning }: Fields): boolean {
  return requiresPruning === true || (typeof status === "string" && status !== "Synced");
}

function toResource({ kind, namespace, name, status, requiresPruning }: Fields): OutOfSyncResource {
  return {
    kind: toText(kind),
    namespace: toText(namespace),
    name: toText(name),
    status: toText(status),
    isToBePruned: requiresPruning === true,
  };
}

function toMap(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

type Fields = Readonly<Record<string, unknown>>;
