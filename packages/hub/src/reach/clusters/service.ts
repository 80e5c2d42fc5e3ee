// The registry of clusters. Rows are kept in memory as well (the hub is their only writer), so that the path of a
// proxied request never waits for the database.
import type { Cluster } from "@fairlead/contract";
import { type Clock, createTurns, type FairleadError, isDnsLabel, repeat, systemClock } from "@fairlead/kernel";
import type { Kysely, Updateable } from "kysely";
import type { ClusterTable, Tables } from "../../platform/store/index.ts";
import { createAlarmStore } from "./alarm-store.ts";
import { clustersErrors } from "./errors.ts";
import { describeAbsence, toCluster } from "./state.ts";
import { createClusterStore } from "./store.ts";
import type {
  AgentFacts,
  ClusterRow,
  Clusters,
  LinkPresence,
  NewClusterEvent,
  PresentLink,
  Staleness,
} from "./types.ts";
import { findRefusal, findReplacement, learnUid } from "./which-cluster.ts";

export async function openClusters(options: {
  readonly db: Kysely<Tables>;
  /** For what people ask; the same unless told. */
  readonly queries?: Kysely<Tables> | undefined;
  readonly links: LinkPresence;
  /** Undefined for a cluster whose objects the hub knows as they are, or doesn't watch. */
  readonly staleness?: ((cluster: string) => Staleness | undefined) | undefined;
  readonly clock?: Clock | undefined;
  /** For failures of what runs beside requests. */
  readonly onError?: ((error: unknown) => void) | undefined;
}): Promise<Clusters> {
  const { db, queries = db, links, staleness, clock = systemClock, onError } = options;
  const store = createClusterStore(db);
  const alarms = createAlarmStore(db);
  const alarmCounts = await alarms.count();
  const startedMs = clock.now();
  const rows = new Map((await store.load()).map((row) => [row.name, row]));
  const revokedListeners = new Set<(event: { readonly cluster: string }) => void>();
  const replacedListeners = new Set<(event: { readonly cluster: string }) => void>();
  const inTurn = createTurns();
  const countedAt = new Map<string, number>();
  let counting = 0;
  const touching = repeat({ clock, intervalMs: touchEveryMs, run: touch, onError: (error) => onError?.(error) });

  return {
    async create(cluster) {
      if (!isDnsLabel(cluster.name)) throw clustersErrors.CLUSTER_NAME_INVALID();
      const row = await store.insert(cluster, now());
      if (!row) throw clustersErrors.CLUSTER_EXISTS({ name: cluster.name });
      rows.set(row.name, row);
      await addEvent(row.name, { type: "created", message: `Created for the roles ${cluster.roles.join(", ")}.` });
      return show(row);
    },

    list() {
      const byCluster = Map.groupBy(links.list(), (link) => link.cluster);
      return [...rows.values()]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((row) => toShown(row, byCluster.get(row.name) ?? []));
    },

    get: (name) => show(find(name)),
    exists: (name) => rows.has(name),
    labels: (name) => rows.get(name)?.labels,
    isCurrentEpoch: (name, epoch) => (rows.get(name)?.epoch ?? Number.POSITIVE_INFINITY) <= epoch,
    absence: (name) => describeAbsence(find(name), { links: listLinks(name), startedMs, nowMs: clock.now() }),
    links: listLinks,

    async revoke(name, reason) {
      find(name);
      const row = keep(name, await store.revoke(name, { reason: reason ?? null, at: now() }));
      tellRevoked(name);
      const message = `Join tokens and identities are revoked${reason === undefined ? "" : `: ${reason}`}.`;
      await addEvent(name, { type: "revoked", level: "warning", message });
      return show(row);
    },

    async remove(name) {
      find(name);
      const gone = await store.remove(name);
      // The name may be another cluster's by now.
      if (gone === undefined || rows.get(name)?.incarnation === gone.incarnation) {
        rows.delete(name);
        alarmCounts.delete(name);
        countedAt.delete(name);
      }
      tellRevoked(name);
      if (!gone) throw clustersErrors.CLUSTER_NOT_FOUND();
    },

    async recordHello(name, facts, { isRepeated = false } = {}) {
      const { refusal, stored } = meet(name, facts);
      await stored;
      if (refusal) return;
      keep(name, await store.update(name, { last_seen_at: now(), ...toColumns(facts) }));
      const version = facts.agentVersion === undefined ? "" : ` ${facts.agentVersion}`;
      if (!isRepeated) await addEvent(name, { type: "connected", message: `Agent${version} connected.` });
    },

    refusal(name, said) {
      const row = rows.get(name);
      return row && findRefusal(row, said);
    },

    async recordUid(name, kubeSystemUid) {
      const { refusal, stored } = meet(name, { kubeSystemUid });
      await stored;
      return refusal;
    },

    uids(name) {
      const row = find(name);
      return { known: row.kube_system_uid ?? undefined, replacement: findReplacement(row, listLinks(name)) };
    },

    async confirmReplacement(name, kubeSystemUid) {
      const row = find(name);
      if (row.kube_system_uid === kubeSystemUid) return false;
      const waiting = [row.replacement_uid, ...saidUids(name)];
      if (row.kube_system_uid === null || !waiting.includes(kubeSystemUid))
        throw clustersErrors.INVENTORY_REPLACEMENT_UNKNOWN({ kubeSystemUid });
      const change = { kube_system_uid: kubeSystemUid, replacement_uid: null };
      await inTurn(async () => {
        await store.update(name, change);
        rows.set(name, { ...find(name), ...change });
      });
      for (const listener of replacedListeners) listener({ cluster: name });
      const message = `Confirmed: the name means the cluster whose kube-system is ${kubeSystemUid} from now on.`;
      await addEvent(name, { type: "cluster-replaced", message });
      return true;
    },

    async recordDisconnect(name, reason) {
      const known = rows.get(name);
      if (!known) return;
      // At once, and even when it can't be stored: requests are told from here how long the cluster has been away.
      rows.set(name, { ...known, last_seen_at: now(), last_lost_at: now() });
      const row = await store.update(name, { last_seen_at: now(), last_lost_at: now() });
      if (!row) return;
      keep(name, row);
      await addEvent(name, { type: "disconnected", message: reason });
    },

    async recordEnrollment(name, { epoch, roles, message }) {
      const row = await store.reinstate(name, { epoch, roles });
      if (row) keep(name, row);
      await addEvent(name, { type: "enrolled", message });
    },

    recordEvent: addEvent,
    listAlarms: createAlarmStore(queries).list,

    async seeAlarm(name, { id, count, by }) {
      find(name);
      const outcome = await alarms.remove(name, id, count);
      if (outcome === undefined) throw clustersErrors.CLUSTER_ALARM_NOT_FOUND();
      if (!outcome.isGone) throw clustersErrors.CLUSTER_ALARM_AGAIN();
      await countAlarms(name);
      const message = `${by} has seen ${outcome.type}, raised ${count} times: ${outcome.message}`;
      await addEvent(name, { type: "alarm-seen", message });
    },

    listEvents: createClusterStore(queries).listEvents,

    onReplaced(listener) {
      replacedListeners.add(listener);
      return () => replacedListeners.delete(listener);
    },

    onRevoked(listener) {
      revokedListeners.add(listener);
      return () => revokedListeners.delete(listener);
    },

    async [Symbol.asyncDispose]() {
      touching[Symbol.dispose]();
      revokedListeners.clear();
      replacedListeners.clear();
    },
  };

  function find(name: string): ClusterRow {
    const row = rows.get(name);
    if (!row) throw clustersErrors.CLUSTER_NOT_FOUND();
    return row;
  }

  /** Which cluster the name means is settled here, in memory, before it is stored: a row may be older than that. */
  function keep(name: string, row: ClusterRow | undefined): ClusterRow {
    if (!row) throw clustersErrors.CLUSTER_NOT_FOUND();
    const known = rows.get(name);
    // Answers come in any order.
    if (known && (known.incarnation !== row.incarnation || known.version > row.version)) return known;
    const { kube_system_uid, replacement_uid } = known ?? row;
    const kept = { ...row, kube_system_uid, replacement_uid };
    rows.set(name, kept);
    return kept;
  }

  /** An agent says of which cluster it is: this counts from memory at once, and is stored when it is news. */
  function meet(
    name: string,
    said: AgentFacts,
  ): { readonly refusal: FairleadError | undefined; readonly stored: Promise<void> } {
    const before = find(name);
    const uids = learnUid(before, said.kubeSystemUid, saidUids(name));
    const row = { ...before, ...uids };
    rows.set(name, row);
    const refusal = findRefusal(row, said);
    return { refusal, stored: storeUids(before, row, refusal) };
  }

  async function storeUids(before: ClusterRow, row: ClusterRow, refusal: FairleadError | undefined): Promise<void> {
    const { name, kube_system_uid, replacement_uid } = row;
    const isOther = before.replacement_uid !== replacement_uid;
    if (!isOther && before.kube_system_uid === kube_system_uid) return;
    // In turn and as it is then, or an older one might be stored last.
    await inTurn(async () => {
      const current = rows.get(name);
      if (!current) return;
      await store.update(name, { kube_system_uid: current.kube_system_uid, replacement_uid: current.replacement_uid });
    });
    if (isOther && refusal) {
      await addEvent(name, { type: "cluster-replaced", level: "alarm", message: refusal.message });
    }
  }

  function saidUids(name: string): (string | undefined)[] {
    return listLinks(name).map(({ hello }) => hello?.kubeSystemUid);
  }

  function show(row: ClusterRow): Cluster {
    return toShown(row, listLinks(row.name));
  }

  function toShown(row: ClusterRow, links: readonly PresentLink[]): Cluster {
    const alarmCount = alarmCounts.get(row.name) ?? 0;
    return { ...toCluster(row, { links, nowMs: clock.now(), staleness: staleness?.(row.name) }), alarmCount };
  }

  function listLinks(name: string): PresentLink[] {
    return links.list().filter((link) => link.cluster === name);
  }

  async function addEvent(name: string, event: NewClusterEvent): Promise<void> {
    const clipped = { ...event, message: clip(event.message) };
    // First, because whoever floods the events may have raised it.
    if (event.level === "alarm") {
      await alarms.raise(name, clipped, now());
      await countAlarms(name);
    }
    await store.addEvent(name, clipped, now());
  }

  async function countAlarms(name: string): Promise<void> {
    counting += 1;
    const turn = counting;
    const counts = await alarms.count(name);
    // One that was asked for later knows at least as much.
    if (turn < (countedAt.get(name) ?? 0) || !rows.has(name)) return;
    countedAt.set(name, turn);
    alarmCounts.set(name, counts.get(name) ?? 0);
  }

  function tellRevoked(cluster: string): void {
    for (const listener of revokedListeners) listener({ cluster });
  }

  function now(): Date {
    return new Date(clock.now());
  }

  /** So that `lastSeenAt` is at most a minute wrong after the hub itself was killed. */
  async function touch(): Promise<void> {
    const taken = links.list().filter(({ refusal }) => refusal === undefined);
    const names = [...new Set(taken.map(({ cluster }) => cluster))];
    if (names.length > 0) await store.touch(names, now());
  }
}

function toColumns(facts: AgentFacts): Updateable<ClusterTable> {
  return {
    ...(facts.agentVersion === undefined ? {} : { agent_version: facts.agentVersion }),
    ...(facts.kubernetesVersion === undefined ? {} : { kubernetes_version: facts.kubernetesVersion }),
    ...(facts.clockSkewMs === undefined ? {} : { clock_skew_ms: Math.round(facts.clockSkewMs) }),
  };
}

/** Some of it is what agents and strangers say of themselves. */
function clip(message: string): string {
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 1)}…` : message;
}

const maxMessageLength = 1_024;
const touchEveryMs = 60_000;
