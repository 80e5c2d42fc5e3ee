import type { Addon } from "../catalogue/index.ts";
import type { ClusterType } from "../cluster-type/index.ts";
import { fairlead, type Profile } from "../profiles/index.ts";
import { type AddonReport, examineCluster } from "../report/index.ts";
import { type ClusterObject, type MetricAnswer, snapshotOfObjects } from "../snapshot/index.ts";

export interface ExamineAddonOptions {
  readonly profile?: Profile;
  readonly clusterType?: ClusterType;
  readonly hidden?: ReadonlyMap<string, string>;
  readonly metrics?: ReadonlyMap<string, MetricAnswer>;
}

/** Examines an addon in a cluster that holds these objects and nothing else. */
export function examineAddon(
  addon: Addon,
  objects: readonly ClusterObject[],
  { profile = fairlead, clusterType = "generic", hidden = new Map(), metrics }: ExamineAddonOptions = {},
): AddonReport {
  const snapshot = snapshotOfObjects({ objects, isComplete: true, hidden, ...(metrics && { metrics }) });
  const now = new Date("2026-01-01T00:00:00Z");
  const [report] = examineCluster({ snapshot, profile, clusterType, now, addons: [addon] }).addons;
  if (!report) throw new Error(`nothing is said of ${addon.id}`);
  return report;
}

/** `fail` for `keda.external-metrics`. */
export function verdictsOf({ checks }: AddonReport): Record<string, string> {
  return Object.fromEntries(checks.map(({ check, verdict }) => [check.id, verdict.is]));
}

/** Each check of the addon that applies, passed. */
export function allPass(addon: Addon): Record<string, string> {
  return Object.fromEntries(addon.checks.map(({ id }) => [id, "pass"]));
}

/** A definition without a schema, for a resource that an addon's neighbour brings. */
export function definitionOf(resource: string, kind: string): ClusterObject {
  const [plural = "", ...group] = resource.split(".");
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: resource },
    spec: { group: group.join("."), names: { kind, plural } },
  };
}

/** Sets `spec/template/spec/containers/0/args` and the like, for cases that change one value. */
export function setAt(path: string, value: unknown): (object: object) => void {
  return (object) => {
    const names = path.split("/");
    const last = names.pop() ?? "";
    let at = object as Record<string, unknown>;
    for (const name of names) {
      at[name] ??= {};
      at = at[name] as Record<string, unknown>;
    }
    if (value === undefined) delete at[last];
    else at[last] = value;
  };
}
