// Which cluster a name means, by the UID of the namespace kube-system: the first one that an agent says, whatever its
// role, and after that only one that an admin confirms. An agent that says another one, or none, isn't taken for one of
// this cluster: what people meant for it would reach another.
import type { FairleadError } from "@fairlead/kernel";
import { clusterMismatch, clusterUnproven } from "./errors.ts";
import type { AgentFacts, ClusterRow, PresentLink, Uids } from "./types.ts";

export type SaidUid = Pick<AgentFacts, "kubeSystemUid" | "kubernetesVersion">;

/** Undefined: it is of this cluster, or the hub has no way to know better yet. */
export function findRefusal(row: ClusterRow, said: SaidUid): FairleadError | undefined {
  const { name, kube_system_uid: known } = row;
  if (known === null || known === said.kubeSystemUid) return undefined;
  if (said.kubeSystemUid !== undefined) return clusterMismatch({ name, known, found: said.kubeSystemUid });
  return clusterUnproven({ name, hasApiServer: said.kubernetesVersion !== undefined });
}

/** Returns the row after an agent said the UID of its cluster; others that answer now say theirs too. */
export function learnUid(row: ClusterRow, said: string | undefined, others: readonly (string | undefined)[]): Uids {
  const { kube_system_uid, replacement_uid } = row;
  if (said === undefined) return { kube_system_uid, replacement_uid };
  const known = kube_system_uid ?? said;
  if (said !== known) return { kube_system_uid: known, replacement_uid: said };
  // The right one is back: another one is of interest only as long as it answers.
  const isThere = replacement_uid !== null && others.includes(replacement_uid);
  return { kube_system_uid: known, replacement_uid: isThere ? replacement_uid : null };
}

/** UID of another cluster that answers under the name, or was the last to do so while nobody else does. */
export function findReplacement(row: ClusterRow, links: readonly PresentLink[]): string | undefined {
  const said = links.map(({ hello }) => hello?.kubeSystemUid);
  if (row.replacement_uid === null || said.includes(row.replacement_uid)) return row.replacement_uid ?? undefined;
  return said.includes(row.kube_system_uid ?? undefined) ? undefined : row.replacement_uid;
}

/** Why an agent of this cluster isn't used, of those that are there; or the last that was, while there is none. */
export function findAnyRefusal(row: ClusterRow, links: readonly PresentLink[]): FairleadError | undefined {
  const refused = links.findLast(({ refusal }) => refusal !== undefined);
  if (refused) return refused.refusal;
  const found = findReplacement(row, links);
  return found === undefined ? undefined : findRefusal(row, { kubeSystemUid: found });
}

export function isSame(one: Uids, other: Uids): boolean {
  return one.kube_system_uid === other.kube_system_uid && one.replacement_uid === other.replacement_uid;
}
