// Knows from memory how well the hub's copy of each cluster is in step: who reports, when it was last heard of, how old
// each kind is, and what stands in the way. Ages are judged when they are asked for; nothing ticks.
import type { Clock } from "@fairlead/kernel";
import type { CopyTotals } from "../../platform/telemetry/index.ts";
import type { Staleness } from "../../reach/clusters/index.ts";
import type { CopyRow, KindRow } from "./copy-store.ts";
import type { KindAge, KindFreshness, KindInfo } from "./types.ts";

export interface Freshness {
  /** For the registry of clusters. */
  staleness(cluster: string): Staleness | undefined;
  of(cluster: string): ClusterRecord | undefined;
  /** Made when it isn't there. */
  need(cluster: string): ClusterRecord;
  remove(cluster: string): void;
  list(): readonly [cluster: string, record: ClusterRecord][];
  describe(cluster: string): Described;
  /** The same in numbers, for whoever asks about thousands of clusters. */
  summarize(cluster: string): CopyTotals;
  /** Those of the kinds that the cluster has. */
  ages(cluster: string, kinds: ReadonlySet<string>): readonly KindAge[];
  changed(cluster: string): void;
  onChanged(listener: (cluster: string) => void): () => void;
  /** Why the hub's store takes nothing. */
  storeFailure: () => { readonly message: string; readonly sinceMs: number } | undefined;
}

export interface ClusterRecord {
  /** Undefined until an agent began a first call. */
  row: CopyRow | undefined;
  readonly kinds: Map<string, KindRecord>;
  /** How often this hub changed them. */
  kindsChanges: number;
  /** The call that reports now, to whichever hub. */
  session: ReportRecord | undefined;
  /** When the last call ended; a hub's start counts, because its agents are on their way back. */
  endedMs: number;
  /** Why the last call was refused or ended. */
  endReason: string | undefined;
}

export interface KindRecord {
  row: KindRow;
  objects: number;
  /** Since some of its objects aren't kept, as the cluster's share is used up. */
  refused?: Refused | undefined;
}

export interface Refused {
  readonly code: string;
  readonly message: string;
  readonly sinceMs: number;
  /** The agent compares, and brings again what is missing: if nothing is refused any more, it is over. */
  isCompared: boolean;
}

export interface ReportRecord {
  readonly startedMs: number;
  heardMs: number;
  pendingChanges: number;
  /** When the oldest change that waits in the cluster happened. */
  oldestPendingMs: number | undefined;
}

export interface Described {
  readonly verifiedMs: number | undefined;
  readonly lagMs: number;
  readonly pendingChanges: number;
  readonly kinds: readonly KindFreshness[];
}

export function createFreshness({ clock }: { readonly clock: Clock }): Freshness {
  const records = new Map<string, ClusterRecord>();
  const listeners = new Set<(cluster: string) => void>();
  const freshness: Freshness = {
    staleness(cluster) {
      const record = records.get(cluster);
      return record && findStaleness(record, { nowMs: clock.now(), storeFailure: freshness.storeFailure() });
    },
    of: (cluster) => records.get(cluster),
    need(cluster) {
      const known = records.get(cluster);
      if (known) return known;
      const record: ClusterRecord = {
        row: undefined,
        kinds: new Map(),
        kindsChanges: 0,
        session: undefined,
        endedMs: clock.now(),
        endReason: undefined,
      };
      records.set(cluster, record);
      return record;
    },
    remove: (cluster) => void records.delete(cluster),
    list: () => [...records],
    describe(cluster) {
      const { verifiedMs, lagMs, pendingChanges } = freshness.summarize(cluster);
      const kinds = [...(records.get(cluster)?.kinds.values() ?? [])];
      return { verifiedMs, lagMs, pendingChanges, kinds: kinds.map((kind) => describeKind(kind, clock.now())) };
    },
    summarize(cluster) {
      const record = records.get(cluster);
      if (!record) return { verifiedMs: undefined, lagMs: 0, pendingChanges: 0, objects: 0 };
      const { session, kinds } = record;
      return {
        verifiedMs: oldestVerified(record),
        lagMs: lagOf(session, clock.now()),
        pendingChanges: session?.pendingChanges ?? 0,
        objects: [...kinds.values()].reduce((sum, { objects }) => sum + objects, 0),
      };
    },
    ages(cluster, kinds) {
      const known = records.get(cluster)?.kinds;
      const nowMs = clock.now();
      return [...kinds].flatMap((name) => {
        const kind = known?.get(name);
        return kind ? [describeAge(kind, nowMs)] : [];
      });
    },
    changed(cluster) {
      for (const listener of listeners) listener(cluster);
    },
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    storeFailure: () => undefined,
  };
  return freshness;
}

export function toKindInfo(row: KindRow): KindInfo {
  const { kind, group, version, resource, kindName, namespaced, shortNames, printerColumns } = row;
  const info = { kind, group, version, resource, kindName, namespaced, shortNames };
  return printerColumns === undefined ? info : { ...info, printerColumns };
}

function describeKind(kind: KindRecord, nowMs: number): KindFreshness {
  const { row, objects, refused } = kind;
  const { sinceMs } = refused ?? row;
  return { ...describeAge(kind, nowMs), since: new Date(sinceMs).toISOString(), objects };
}

function describeAge({ row, refused }: KindRecord, nowMs: number): KindAge {
  const { kind, verifiedMs } = row;
  const { state, code, message } = refused ? { ...refused, state: "unavailable" as const } : row;
  return {
    kind,
    state,
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
    ...(verifiedMs !== undefined && {
      verifiedAt: new Date(verifiedMs).toISOString(),
      ageMs: Math.max(0, nowMs - verifiedMs),
    }),
  };
}

/** The first of the reasons that holds, gravest first. */
function findStaleness(
  record: ClusterRecord,
  { nowMs, storeFailure }: { readonly nowMs: number; readonly storeFailure: ReturnType<Freshness["storeFailure"]> },
): Staleness | undefined {
  const { row, session, endedMs, endReason, kinds } = record;
  if (!session) {
    if (!row || nowMs - endedMs < graceMs) return undefined;
    return { sinceMs: endedMs, reason: endReason ?? "No agent reports its objects." };
  }
  if (nowMs - session.heardMs > silentMs) {
    return { sinceMs: session.heardMs, reason: "The agent that reports its objects is silent." };
  }
  if (storeFailure && session.pendingChanges > 0 && nowMs - storeFailure.sinceMs > graceMs) {
    return { sinceMs: storeFailure.sinceMs, reason: `The hub can't store changes: ${storeFailure.message}` };
  }
  if (lagOf(session, nowMs) > longestLagMs) {
    return { sinceMs: nowMs - lagOf(session, nowMs), reason: "Changes wait to be reported." };
  }
  for (const { row: kind, refused } of kinds.values()) {
    const { state, verifiedMs } = kind;
    if (refused || state === "unavailable" || verifiedMs === undefined || nowMs - verifiedMs <= longestAgeMs) continue;
    return { sinceMs: verifiedMs, reason: `Whether ${kind.kind} are still as they were isn't known.` };
  }
  return undefined;
}

function lagOf(session: ReportRecord | undefined, nowMs: number): number {
  return session?.oldestPendingMs === undefined ? 0 : Math.max(0, nowMs - session.oldestPendingMs);
}

/** A kind that can't be observed is told of by itself. */
function oldestVerified({ kinds }: ClusterRecord): number | undefined {
  const observed = [...kinds.values()].filter(({ row, refused }) => !refused && row.state !== "unavailable");
  const times = observed.map(({ row }) => row.verifiedMs);
  if (times.length === 0 || times.includes(undefined)) return undefined;
  return Math.min(...(times as number[]));
}

/** For a call that ends because the link moves, or the hub starts again. */
const graceMs = 15_000;
/** An agent says every five seconds how old everything is. */
const silentMs = 20_000;
const longestLagMs = 30_000;
/** An agent knows every few seconds that a quiet watch is whole, as long as the API server answers. */
const longestAgeMs = 60_000;
