// The registry of clusters.
import type { Cluster } from "@fairlead/contract";
import { type Clock, createTurns, isDnsLabel, repeat, systemClock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { openAlarmCounts } from "./alarm-counts.ts";
import { createAlarmStore } from "./alarm-store.ts";
import { createChangedStore } from "./changed-store.ts";
import { createDeclaredClusters } from "./declared-part.ts";
import { putDeclared } from "./declared-store.ts";
import { clustersErrors } from "./errors.ts";
import { createEventStore } from "./event-store.ts";
import { followClusters } from "./follow.ts";
import { type ReservedNames, requireFreeName } from "./reserved-names.ts";
import { createClusterRows } from "./rows.ts";
import { createSeenStore } from "./seen-store.ts";
import { describeAbsence, toCluster, toShownState } from "./state.ts";
import { createClusterStore } from "./store.ts";
import type {
  AgentFacts,
  ClusterChanges,
  ClusterRow,
  Clusters,
  LinkPresence,
  NewClusterEvent,
  PresentLink,
  Staleness,
} from "./types.ts";
import { findRefusal, findReplacement, isSame, learnUid } from "./which-cluster.ts";

export async function openClusters(options: {
  readonly db: Kysely<Tables>;
  /** For what people ask; the same unless told. */
  readonly queries?: Kysely<Tables> | undefined;
  /** Tells and hears of what hubs on the same database change. */
  readonly changes?: ClusterChanges | undefined;
  readonly links: LinkPresence;
  /** Undefined for a cluster whose objects the hub knows as they are, or doesn't watch. */
  readonly staleness?: ((cluster: string) => Staleness | undefined) | undefined;
  readonly clock?: Clock | undefined;
  /** Names that no new cluster gets. */
  readonly reserved?: ReservedNames | undefined;
  /** For failures of what runs beside requests. */
  readonly onError?: ((error: unknown) => void) | undefined;
}): Promise<Clusters> {
  const { db, queries = db, changes, links, staleness, clock = systemClock, onError = () => undefined } = options;
  const { reserved = { namespaces: [], isRobot: () => false } } = options;
  const store = createClusterStore(db, changes);
  const seen = createSeenStore(db);
  const alarms = createAlarmStore(db);
  const events = createEventStore(db);
  const startedMs = clock.now();
  const rows = createClusterRows();
  const alarmCounts = await openAlarmCounts(alarms);
  const follower = await followClusters({
    rows,
    store: createChangedStore(db),
    alarmCounts,
    changes,
    clock,
    onError,
  });
  rows.onRevoked(({ cluster }) => {
    if (!rows.get(cluster)) alarmCounts.forget(cluster);
  });
  const inTurn = createTurns();
  const touching = repeat({ clock, intervalMs: touchEveryMs, run: touch, onError });

  return {
    async create(cluster) {
      if (!isDnsLabel(cluster.name)) throw clustersErrors.CLUSTER_NAME_INVALID();
      if (!rows.get(cluster.name)) requireFreeName(cluster.name, reserved);
      const inserted = await store.insert(cluster, now());
      if (!inserted) throw clustersErrors.CLUSTER_EXISTS({ name: cluster.name });
      const row = rows.take(inserted);
      await addEvent(row.name, { type: "created", message: `Created for the roles ${cluster.roles.join(", ")}.` });
      return show(row);
    },

    list() {
      const byCluster = Map.groupBy(links.list(), (link) => link.cluster);
      return listRows().map((row) => toShown(row, byCluster.get(row.name) ?? []));
    },

    names: listRows,

    get: (name) => show(rows.find(name)),
    state: (name) => toShownState(rows.find(name), { links: links.of(name), staleness: staleness?.(name) }),
    exists: (name) => rows.get(name) !== undefined,
    async meet(name) {
      if (rows.get(name)) return;
      const row = isDnsLabel(name) ? await createClusterStore(queries).find(name) : undefined;
      if (!row) return;
      rows.take(row);
      await alarmCounts.count([name]);
    },
    labels: (name) => rows.get(name)?.labels,
    isCurrentEpoch: (name, epoch) => (rows.get(name)?.epoch ?? Number.POSITIVE_INFINITY) <= epoch,
    absence: (name) => describeAbsence(rows.find(name), { links: listLinks(name), startedMs, nowMs: clock.now() }),
    links: listLinks,

    async revoke(name, reason) {
      rows.find(name);
      const row = rows.take(await store.revoke(name, { reason: reason ?? null, at: now() }));
      const message = `Join tokens and identities are revoked${reason === undefined ? "" : `: ${reason}`}.`;
      await addEvent(name, { type: "revoked", level: "warning", message });
      return show(row);
    },

    async remove(name) {
      const known = rows.find(name);
      const gone = await store.remove(name);
      // The name may be another cluster's by now.
      rows.forget(gone ?? known);
      if (!gone) throw clustersErrors.CLUSTER_NOT_FOUND();
    },

    async recordHello(name, facts, { isRepeated = false } = {}) {
      await settleUid(name, facts);
      const row = rows.find(name);
      if (findRefusal(row, facts)) return;
      const { agentVersion, kubernetesVersion, clockSkewMs } = facts;
      rows.take(await seen.put({ cluster: row, seenAt: now(), agentVersion, kubernetesVersion, clockSkewMs }));
      follower.tellSoon();
      const version = agentVersion === undefined ? "" : ` ${agentVersion}`;
      if (!isRepeated) await addEvent(name, { type: "connected", message: `Agent${version} connected.` });
    },

    refusal(name, said) {
      const row = rows.get(name);
      return row && findRefusal(row, said);
    },

    async recordUid(name, kubeSystemUid) {
      await settleUid(name, { kubeSystemUid });
      return findRefusal(rows.find(name), { kubeSystemUid });
    },

    uids(name) {
      const row = rows.find(name);
      return { known: row.kube_system_uid ?? undefined, replacement: findReplacement(row, listLinks(name)) };
    },

    async confirmReplacement(name, kubeSystemUid) {
      const known = rows.find(name);
      const settled = await inTurn(() =>
        store.settleUids(known, ({ kube_system_uid, replacement_uid }) => {
          if (kube_system_uid === kubeSystemUid) return undefined;
          const waiting = [replacement_uid, ...saidUids(name)];
          if (kube_system_uid === null || !waiting.includes(kubeSystemUid))
            throw clustersErrors.INVENTORY_REPLACEMENT_UNKNOWN({ kubeSystemUid });
          return { kube_system_uid: kubeSystemUid, replacement_uid: null };
        }),
      );
      rows.take(settled?.row);
      if (settled === undefined || isSame(settled.before, settled.row)) return false;
      const message = `Confirmed: the name means the cluster whose kube-system is ${kubeSystemUid} from now on.`;
      await addEvent(name, { type: "cluster-replaced", message });
      await alarmIfTwice(name, kubeSystemUid);
      return true;
    },

    async recordDisconnect(name, reason) {
      const known = rows.get(name);
      if (!known) return;
      // At once, and even when it can't be stored: requests are told from here how long the cluster has been away.
      const at = now();
      rows.seen(name, { seen: at, lost: at });
      const row = await seen.put({ cluster: known, seenAt: at, lostAt: at });
      if (!row) return;
      rows.take(row);
      follower.tellSoon();
      await addEvent(name, { type: "disconnected", message: reason });
    },

    async recordEnrollment(name, { epoch, roles, message }) {
      const row = await store.reinstate(name, { epoch, roles });
      if (row) rows.take(row);
      await addEvent(name, { type: "enrolled", message });
    },

    async letIn(name, roles) {
      const { epoch } = rows.find(name);
      const row = await store.reinstate(name, { epoch, roles });
      if (row) rows.take(row);
      await addEvent(name, { type: "let-in", message: `Its agents may come for the roles ${roles.join(", ")}.` });
    },

    recordEvent: addEvent,
    listAlarms: createAlarmStore(queries).list,

    async seeAlarm(name, { id, count, by }) {
      rows.find(name);
      const outcome = await alarms.remove(name, id, count);
      if (outcome === undefined) throw clustersErrors.CLUSTER_ALARM_NOT_FOUND();
      if (!outcome.isGone) throw clustersErrors.CLUSTER_ALARM_AGAIN();
      await countAlarms(name);
      const message = `${by} has seen ${outcome.type}, raised ${count} times: ${outcome.message}`;
      await addEvent(name, { type: "alarm-seen", message });
    },

    listEvents: createEventStore(queries).list,
    declaredPart: createDeclaredClusters({
      all: rows.all,
      requireFree: (name) => requireFreeName(name, reserved),
      async put(clusters, guard) {
        for (const row of await putDeclared({ db, changes, clusters, guard, at: now() })) rows.take(row);
      },
    }),
    cut: rows.cut,
    onChanged: rows.onChanged,
    onReplaced: rows.onReplaced,
    onRevoked: rows.onRevoked,

    async [Symbol.asyncDispose]() {
      touching[Symbol.dispose]();
      rows[Symbol.dispose]();
      await follower[Symbol.asyncDispose]();
    },
  };

  /**
   * An agent says of which cluster it is. Its word counts from memory at once. When it is news the database settles it:
   * an agent of another hub may have said something else first.
   */
  async function settleUid(name: string, { kubeSystemUid: said }: AgentFacts): Promise<void> {
    const before = rows.find(name);
    const uids = learnUid(before, said, saidUids(name));
    if (said === undefined || (isSame(before, uids) && !rows.isPresumed(name))) return;
    const presumption = rows.presume(name, uids);
    // In turn, or what was said first might be stored last.
    const settled = await inTurn(() =>
      store.settleUids(before, (row) => {
        const learnt = learnUid(row, said, saidUids(name));
        return isSame(row, learnt) ? undefined : learnt;
      }),
    );
    presumption.settle(settled?.row);
    if (!settled) throw clustersErrors.CLUSTER_NOT_FOUND();
    const { row } = settled;
    if (settled.before.kube_system_uid === null && row.kube_system_uid === said) await alarmIfTwice(name, said);
    const refusal = row.replacement_uid === said ? findRefusal(row, { kubeSystemUid: said }) : undefined;
    if (refusal === undefined || settled.before.replacement_uid === said) return;
    await addEvent(name, { type: "cluster-replaced", level: "alarm", message: refusal.message });
  }

  /** After the name's own UID is stored, so that of two names that come at once at least one finds the other. */
  async function alarmIfTwice(name: string, kubeSystemUid: string): Promise<void> {
    const names = await store.namesWithUid(kubeSystemUid, mostTwins + 1);
    const others = names.filter((other) => other !== name).slice(0, mostTwins);
    if (others.length === 0) return;
    const alike = [name, ...others].map((each) => `"${each}"`).join(" and ");
    const message = `${alike} are the same cluster: its kube-system is ${kubeSystemUid}. Delete all names but one.`;
    for (const each of [name, ...others])
      await addEvent(each, { type: "cluster-enrolled-twice", level: "alarm", message });
  }

  function listRows(): ClusterRow[] {
    return rows.all().sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  function saidUids(name: string): (string | undefined)[] {
    return listLinks(name).map(({ hello }) => hello?.kubeSystemUid);
  }

  function show(row: ClusterRow): Cluster {
    return toShown(row, listLinks(row.name));
  }

  function toShown(row: ClusterRow, links: readonly PresentLink[]): Cluster {
    const shown = toCluster(row, { links, nowMs: clock.now(), staleness: staleness?.(row.name) });
    return { ...shown, alarmCount: alarmCounts.of(row.name) };
  }

  function listLinks(name: string): PresentLink[] {
    return [...links.of(name)];
  }

  async function addEvent(name: string, event: NewClusterEvent): Promise<void> {
    const clipped = { ...event, message: clip(event.message) };
    // First, because whoever floods the events may have raised it.
    if (event.level === "alarm" && (await alarms.raise(name, clipped, now()))) await countAlarms(name);
    await events.add(name, clipped, now());
  }

  async function countAlarms(name: string): Promise<void> {
    await alarmCounts.count([name]);
    follower.tellSoon();
  }

  function now(): Date {
    return new Date(clock.now());
  }

  /** So that `lastSeenAt` is at most a minute wrong after the hub itself was killed. */
  async function touch(): Promise<void> {
    const taken = links.list().filter(({ refusal }) => refusal === undefined);
    const names = new Set(taken.map(({ cluster }) => cluster));
    if (names.size > 0) await store.touch([...names], now());
    if (!changes) return;
    await follower.reread();
    await follower.rereadTimes(rows.all().flatMap(({ name }) => (names.has(name) ? [] : [name])));
  }
}

/** Some of it is what agents and strangers say of themselves. */
function clip(message: string): string {
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 1)}…` : message;
}

const maxMessageLength = 1_024;
/** Names that are told of one more name of their cluster. */
const mostTwins = 10;
const touchEveryMs = 60_000;
