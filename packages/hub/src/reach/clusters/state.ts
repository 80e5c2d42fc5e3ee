// A cluster as the API shows it, from its row and its live links. No state is stored that could disagree with them.
import { type AgentRefusal, type Cluster, roleNames } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { Absence, ClusterRow, PresentLink, ShownState, Staleness } from "./types.ts";
import { findAnyRefusal } from "./which-cluster.ts";

interface StateOptions {
  readonly links: readonly PresentLink[];
  readonly staleness?: Staleness | undefined;
}

export function toShownState(row: ClusterRow, { links: all, staleness }: StateOptions): ShownState {
  const links = taken(all);
  const derived = deriveState(row, links);
  const isOnlyOther = derived.state !== "revoked" && links.length === 0 && all.length > 0;
  if (!isOnlyOther) return addStaleness(derived, staleness);
  return { state: "stale", sinceMs: Math.min(...all.map(sinceOf)), reason: findAnyRefusal(row, all)?.message };
}

export function toCluster(row: ClusterRow, options: StateOptions & { readonly nowMs: number }): Cluster {
  const links = taken(options.links);
  const refusal = findAnyRefusal(row, options.links);
  const { state, sinceMs, reason } = toShownState(row, options);
  const { nowMs } = options;
  const lastSeenMs = links.length > 0 ? nowMs : row.last_seen_at?.getTime();
  const linked = roleNames.filter((role) => links.some(({ roles }) => roles.includes(role)));
  return {
    name: row.name,
    ...(row.display_name === null ? {} : { displayName: row.display_name }),
    ...(row.protected ? { protected: true } : {}),
    labels: row.labels,
    state,
    stateSince: new Date(sinceMs).toISOString(),
    ...(reason === undefined ? {} : { stateReason: reason }),
    roles: row.roles,
    linkedRoles: linked,
    ...(refusal && { refusal: toAgentRefusal(refusal) }),
    createdAt: row.created_at.toISOString(),
    ...(lastSeenMs === undefined ? {} : { lastSeenAt: new Date(lastSeenMs).toISOString() }),
    ...(row.kubernetes_version === null ? {} : { kubernetesVersion: row.kubernetes_version }),
    ...(row.kube_system_uid === null ? {} : { kubeSystemUid: row.kube_system_uid }),
    ...(row.agent_version === null ? {} : { agentVersion: row.agent_version }),
    ...(row.clock_skew_ms === null ? {} : { clockSkewMs: Number(row.clock_skew_ms) }),
  };
}

/**
 * Links that a restart of the hub took down count as lost at its start, because their agents are on their way back; so
 * do those, from now on, whose agent says that it leaves.
 */
export function describeAbsence(
  row: ClusterRow,
  options: { readonly links: readonly PresentLink[]; readonly startedMs: number; readonly nowMs: number },
): Absence {
  const { startedMs, nowMs } = options;
  const links = taken(options.links);
  const { state, sinceMs } = deriveState(row, links);
  if (links.some((link) => link.isDraining)) return { state, sinceMs, lostMs: nowMs };
  const lostMs = Math.max(row.last_lost_at?.getTime() ?? 0, startedMs);
  return { state, sinceMs, lostMs: row.last_seen_at || row.last_lost_at ? lostMs : undefined };
}

export function toAgentRefusal({ code, message, hint }: FairleadError): AgentRefusal {
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}

function taken(links: readonly PresentLink[]): readonly PresentLink[] {
  return links.filter(({ refusal }) => refusal === undefined);
}

function sinceOf({ connectedAt }: PresentLink): number {
  return connectedAt;
}

function addStaleness(derived: ReturnType<typeof deriveState>, staleness: Staleness | undefined): ShownState {
  if (derived.state !== "connected" || !staleness) return derived;
  return { state: "stale", sinceMs: Math.max(staleness.sinceMs, derived.sinceMs), reason: staleness.reason };
}

function deriveState(
  row: ClusterRow,
  links: readonly PresentLink[],
): { state: Absence["state"]; sinceMs: number; reason?: string | undefined } {
  if (row.revoked_at) {
    return { state: "revoked", sinceMs: row.revoked_at.getTime(), reason: row.revoked_reason ?? undefined };
  }
  if (links.length > 0) return { state: "connected", sinceMs: Math.min(...links.map((link) => link.connectedAt)) };
  if (!row.last_seen_at) return { state: "never-connected", sinceMs: row.created_at.getTime() };
  // A hub that was killed saw no link end; then the last sign of life stands for it.
  const lostMs = row.last_lost_at?.getTime() ?? 0;
  return { state: "offline", sinceMs: Math.max(lostMs, row.last_seen_at.getTime()) };
}
