// The checks that keep the right to give from being the right to everything.
import type { AccessBinding, AccessRole } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import { accessErrors, choosesCluster, endOf, type Grant, type Labels, type Principal } from "../policy/index.ts";
import { missOfGiver } from "./cover.ts";
import { findUnrecorded, isRecordedFor } from "./recording.ts";

export interface Giver {
  readonly by: Principal;
  /** All of the giver's. */
  readonly grants: readonly Grant[];
  readonly labels: (cluster: string) => Labels | undefined;
}

export interface Remover extends Giver {
  /** Everybody's. */
  readonly all: readonly Grant[];
  readonly known: readonly Principal[];
}

type Rights = Pick<AccessRole, "hubRules" | "clusterRules" | "groups" | "mayImpersonate">;

interface Gift {
  readonly role: Rights;
  readonly clusters: AccessBinding["clusters"];
  readonly record?: boolean | undefined;
  /** The gift's end, in milliseconds since the epoch; infinity for none. */
  readonly endMs: number;
}

/** Throws ACCESS_ESCALATION, ACCESS_UNRECORDED. */
export function requireToGive(giver: Giver, gift: Gift): void {
  const { by, grants, labels } = giver;
  if (by.scope) throw accessErrors.ACCESS_ESCALATION({ what: "this token has limited rights" });
  const { role, clusters, endMs } = gift;
  const missUntil = (untilMs: number): string | undefined =>
    missOfGiver({ giver: grants, untilMs, role, clusters, labels });
  const miss = missUntil(endMs);
  if (miss !== undefined) {
    // A right that ends can't be made into one that lasts.
    const lacks = missUntil(Number.NEGATIVE_INFINITY) === undefined ? `${miss} for as long` : miss;
    throw accessErrors.ACCESS_ESCALATION({ what: `${by.name} lacks ${lacks}` });
  }
  requireRecorded(giver, gift);
}

/** Throws ACCESS_UNRECORDED. */
export function requireRecorded({ by, grants, labels }: Giver, { role, clusters, record }: Omit<Gift, "endMs">): void {
  if (record === true || !isRecordedFor({ giver: grants, role, clusters, labels })) return;
  throw accessErrors.ACCESS_UNRECORDED({
    what: `sessions of ${by.name} with these rights are recorded, so the binding needs record: true`,
  });
}

/** Labels on a new cluster give it to all whose bindings choose clusters by them. Throws as `requireToGive`. */
export function requireToLabel(
  giver: Giver,
  cluster: { readonly name: string; readonly labels: Labels },
  all: readonly Grant[],
): void {
  const labels = (name: string): Labels | undefined => (name === cluster.name ? cluster.labels : giver.labels(name));
  for (const { binding, role } of all) {
    if (!("selector" in binding.clusters) || !choosesCluster(binding.clusters, cluster)) continue;
    const clusters = { names: [cluster.name] };
    requireToGive({ ...giver, labels }, { role, clusters, record: binding.record, endMs: endOf(binding) });
  }
}

/**
 * Other labels give a cluster to some and take it from others. What the giver has by the former labels counts, or they
 * would give themselves what the new ones bring. Where the cluster leaves a recorded binding, whoever is recorded in it
 * leaves nobody who may do the same unrecorded. Throws as `requireToGive`.
 */
export function requireToRelabel(
  remover: Remover,
  { name, before, after }: { readonly name: string; readonly before: Labels; readonly after: Labels },
): void {
  const labelsWith =
    (own: Labels) =>
    (cluster: string): Labels | undefined =>
      cluster === name ? own : remover.labels(cluster);
  const { by, grants, all, known } = remover;
  const clusters = { names: [name] };
  const [now, then] = [labelsWith(after), labelsWith(before)];
  const gone: Grant[] = [];
  for (const grant of all) {
    const { binding, role } = grant;
    const had = choosesCluster(binding.clusters, { name, labels: before });
    const has = choosesCluster(binding.clusters, { name, labels: after });
    if (has && !had)
      requireToGive({ by, grants, labels: then }, { role, clusters, record: binding.record, endMs: endOf(binding) });
    if (had && !has) gone.push({ ...grant, binding: { ...binding, clusters } });
  }
  const ids = new Set(gone.map(({ binding }) => binding.id));
  const left = all.filter(({ binding }) => !ids.has(binding.id));
  const unlike = findUnrecorded({ gone, left, known, labels: now }).filter(({ role }) =>
    isRecordedFor({ giver: grants, role, clusters, labels: then }),
  );
  if (unlike.length > 0) throw unrecorded(by, unlike);
}

/** Where two bindings give the same, the recorded one is what has it recorded. Throws ACCESS_UNRECORDED. */
export function requireToTake({ by, grants, labels, all, known }: Remover, gone: readonly Grant[]): void {
  const ids = new Set(gone.map(({ binding }) => binding.id));
  const left = all.filter(({ binding }) => !ids.has(binding.id));
  const unlike = findUnrecorded({ gone, left, known, labels }).filter(({ binding, role }) =>
    isRecordedFor({ giver: grants, role, clusters: binding.clusters, labels }),
  );
  if (unlike.length > 0) throw unrecorded(by, unlike);
}

function unrecorded(by: Principal, unlike: readonly Grant[]): FairleadError {
  const names = unlike.slice(0, 5).map(({ binding }) => binding.id);
  return accessErrors.ACCESS_UNRECORDED({
    what: `sessions of ${by.name} with these rights are recorded, but ${names.join(", ")} would still grant them unrecorded`,
  });
}
