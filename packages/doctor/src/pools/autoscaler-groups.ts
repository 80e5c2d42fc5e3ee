// Cluster-autoscaler writes what it knows of its groups into a ConfigMap: as YAML since 1.30, before that as a text.
// Both name a group and then its sizes, line by line, so that one reading does for both.
import { Fields } from "@fairlead/kernel";
import type { Snapshot } from "../snapshot/index.ts";
import type { NodeOwner, PoolSource } from "./node-owner.ts";

export const autoscalerStatus = { namespace: "kube-system", name: "cluster-autoscaler-status" } as const;

export interface AutoscalerGroup {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** How many nodes it has asked the cloud for. */
  readonly current: number;
}

/** None where there is no cluster-autoscaler, or where its ConfigMap could not be read. */
export function readAutoscalerGroups(snapshot: Snapshot): AutoscalerGroup[] {
  const sighting = snapshot.readConfigMap(autoscalerStatus.namespace, autoscalerStatus.name);
  if (sighting.is !== "seen") return [];
  const text = new Fields(sighting.configMap).at("data", "status").text() ?? "";
  const [, groups = ""] = text.split(/^nodeGroups:\s*$/im);
  return groups
    .split(/^\s*-?\s*name:\s+/im)
    .slice(1)
    .flatMap(readGroup)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function readGroup(text: string): AutoscalerGroup[] {
  const name = /^\S+/.exec(text)?.[0];
  const max = readNumber(text, "maxSize");
  if (name === undefined || max === undefined) return [];
  const current = readNumber(text, "cloudProviderTarget") ?? 0;
  return [{ name: name.replace(/^"(.*)"$/, "$1"), min: readNumber(text, "minSize") ?? 0, max, current }];
}

function readNumber(text: string, name: string): number | undefined {
  const digits = new RegExp(`${name}[=:] ?(\\d+)`).exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Each cloud makes a name of its own for the group behind a pool. */
export function isGroupOf({ name }: AutoscalerGroup, pool: NodeOwner): boolean {
  const short = name.slice(name.lastIndexOf("/") + 1);
  if (name === pool.name || short === pool.name) return true;
  const inner = groupNames[pool.source]?.exec(short)?.[1];
  // GKE's have the cluster's name first, and both may have dashes.
  return inner === pool.name || (pool.source === "gke" && (inner?.endsWith(`-${pool.name}`) ?? false));
}

const groupNames: Readonly<Partial<Record<PoolSource, RegExp>>> = {
  aks: /^aks-([a-z0-9]+)-\d+-vmss$/,
  eks: /^eks-(.+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  gke: /^gke-(.+)-[0-9a-f]{8}-grp$/,
};
