// The hub's copy of what is in clusters: agents write it, each its own cluster's, and other rooms read it.
import { type Clock, type FairleadError, isFairleadError } from "@fairlead/kernel";
import type { Role, SyncRequest } from "@fairlead/protocol";
import type { Kysely } from "kysely";
import { chooseHistory } from "../../platform/changes/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { InventoryTotals, Logger } from "../../platform/telemetry/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import type { ExamineOrders } from "../profiles/index.ts";
import { admitReport, type Beginning, type ReportCall } from "./admission.ts";
import { type CopyStore, createCopyStore } from "./copy-store.ts";
import { describeFreshness } from "./describe-freshness.ts";
import { clusterReplaced, inventoryErrors } from "./errors.ts";
import { createFactsReader } from "./facts.ts";
import { type ClusterRecord, type Freshness, type ReportRecord, toKindInfo } from "./freshness.ts";
import { createLimitNotes } from "./limit-notes.ts";
import { loadCopies } from "./load-copies.ts";
import { markHistory } from "./mark-history.ts";
import { createObjectStore, type ObjectStore } from "./object-store.ts";
import type { OutboxAnswer } from "./outbox.ts";
import { createQuota, type InventoryLimits } from "./quota.ts";
import type { Begun } from "./report-store.ts";
import { type BegunCall, serveCall } from "./serve-call.ts";
import { runSession } from "./session.ts";
import { openSharing, type SharingPorts } from "./sharing.ts";
import { createLearntTime, sameTime } from "./store-time.ts";
import { tellOwn } from "./telling.ts";
import { createTotals } from "./totals.ts";
import { trimKinds } from "./trim-kinds.ts";
import type { CommittedChange, InventoryReader } from "./types.ts";
import { untilTrue } from "./until-true.ts";
import { startUpkeep } from "./upkeep.ts";
import { createWriter, type Fence } from "./writer.ts";

export interface Inventory extends InventoryReader, AsyncDisposable {
  /** An agent's call. Throws coded errors. */
  sync(
    requests: AsyncIterable<SyncRequest>,
    options: { readonly peer: Peer; readonly signal: AbortSignal },
  ): AsyncIterable<OutboxAnswer>;
  /** For metrics. */
  totals(): InventoryTotals;
  /** Ends all calls and lets no new ones begin, so that links can drain. */
  stop(): void;
}

export interface Peer {
  readonly cluster: string;
  readonly roles: readonly Role[];
}

export interface InventoryOptions {
  readonly db: Kysely<Tables>;
  /** For what people ask; the same unless told. */
  readonly queries?: Kysely<Tables> | undefined;
  readonly clusters: Pick<
    Clusters,
    "state" | "uids" | "exists" | "recordUid" | "recordEvent" | "confirmReplacement" | "onRevoked"
  >;
  /** Made before the registry of clusters, which reads it. */
  readonly freshness: Freshness;
  readonly limits: InventoryLimits;
  /** Undefined: agents aren't told what to examine their clusters by. */
  readonly orders?: Pick<ExamineOrders, "follow"> | undefined;
  /** Undefined: this hub has its database alone. */
  readonly sharing?: SharingPorts | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export async function openInventory(options: InventoryOptions): Promise<Inventory> {
  const { db, queries = db, clusters, freshness, limits, orders, clock, log } = options;
  const learntTime = options.sharing && createLearntTime();
  const time = learntTime ?? sameTime;
  const store: { readonly clusters: CopyStore; readonly objects: ObjectStore } = {
    clusters: createCopyStore(db, time),
    objects: createObjectStore(db, { history: await chooseHistory(db) }),
  };
  const totals = createTotals(freshness);
  const facts = createFactsReader({ db: queries, clock });
  const listeners = new Set<(changes: readonly CommittedChange[]) => void>();
  const calls = new Map<string, ReportCall>();
  const lostListeners = new Set<() => void>();
  let revision = await store.objects.newestRevision();
  let { history } = await store.objects.listSince(revision, 1);
  let isStopping = false;
  const { clusterMaxKinds: maxKinds } = limits;
  const tellAgent = (cluster: string, error: FairleadError): void => calls.get(cluster)?.refuse(error);
  const notes = createLimitNotes({ clusters, freshness, maxKinds, tellAgent, clock, log });
  const quota = createQuota({ store: store.objects, limits, clock, onRefused: notes.noteRefused });
  const telling = { store: store.objects, revision, history, onCommitted: tell, onHistoryLost: loseHistory };
  const sharing =
    options.sharing &&
    learntTime &&
    (await openSharing({
      ...options.sharing,
      ...telling,
      db,
      time: learntTime,
      copies: store.clusters,
      objects: store.objects,
      freshness,
      quota,
      exists: clusters.exists,
      clock,
      log,
      load: () => loadCopies(store, freshness),
      onTakenOver: (cluster) => calls.get(cluster)?.end(inventoryErrors.INVENTORY_SUPERSEDED()),
    }));
  if (!sharing) await loadCopies(store, freshness);
  const writer = createWriter({
    store: store.objects,
    clock,
    log,
    quota,
    telling: sharing?.telling ?? tellOwn(telling),
    nowStoredMs: () => time.toStored(clock.now()),
  });
  // Where others write, too, each cluster's turn comes with its report.
  const records = sharing ? [] : freshness.list();
  const trimmed = trimKinds({ records, clusters: store.clusters, writer, maxKinds }).catch((error: unknown) => {
    if (!isStopping) log.warn({ err: error }, "kinds beyond the bound of their clusters can't be deleted");
  });
  freshness.storeFailure = () =>
    writer.failure && { message: writer.failure.error.message, sinceMs: writer.failure.sinceMs };
  const upkeep = startUpkeep({
    ...store,
    writer,
    freshness,
    clock,
    log,
    nowStoredMs: () => time.toStored(clock.now()),
    leases: options.sharing?.leases,
  });
  const stopListening = clusters.onRevoked(({ cluster }) => {
    calls.get(cluster)?.end(inventoryErrors.INVENTORY_CLUSTER_GONE());
    if (clusters.exists(cluster)) return;
    freshness.remove(cluster);
    quota.forget(cluster);
    notes.forget(cluster);
    sharing?.forget(cluster);
    void upkeep.sweep();
  });
  sharing?.start();

  return {
    sync,
    stop,
    totals: totals.read,
    get revision() {
      return revision;
    },
    catchUp: (wanted) => (sharing ? untilTold(wanted) : Promise.resolve()),
    get history() {
      return history;
    },
    onHistoryLost(listener) {
      lostListeners.add(listener);
      return () => lostListeners.delete(listener);
    },
    age: (cluster, kinds) => ({
      cluster,
      state: clusters.state(cluster).state,
      kinds: freshness.ages(cluster, kinds),
    }),
    freshness: (cluster) => describeFreshness({ cluster, clusters, freshness, nowMs: clock.now() }),
    kind(cluster, kind) {
      const known = freshness.of(cluster)?.kinds.get(kind);
      return known && toKindInfo(known.row);
    },
    kinds: (cluster) => [...(freshness.of(cluster)?.kinds.values() ?? [])].map(({ row }) => toKindInfo(row)),
    facts: facts.read,
    onCommitted(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onFreshnessChanged: freshness.onChanged,
    confirmReplacement,
    async [Symbol.asyncDispose]() {
      stop();
      stopListening();
      await upkeep[Symbol.asyncDispose]();
      await writer[Symbol.asyncDispose]();
      await sharing?.[Symbol.asyncDispose]();
      listeners.clear();
    },
  };

  function sync(
    requests: AsyncIterable<SyncRequest>,
    { peer, signal }: { readonly peer: Peer; readonly signal: AbortSignal },
  ): AsyncIterable<OutboxAnswer> {
    const { cluster, roles } = peer;
    return serveCall({
      requests,
      signal,
      clock,
      onError: totals.countError,
      admit() {
        if (!roles.includes("observe")) throw inventoryErrors.INVENTORY_ROLE_REQUIRED();
        if (isStopping) throw inventoryErrors.INVENTORY_STOPPING();
      },
      serve: (call) => report({ cluster, ...call }),
    });
  }

  /** Serves a call from its first message on. */
  async function report(call: BegunCall & { readonly cluster: string }): Promise<void> {
    const { cluster, start, requests, outbox, end, signal } = call;
    await trimmed;
    if (!clusters.exists(cluster)) throw inventoryErrors.INVENTORY_CLUSTER_GONE();
    const record = freshness.need(cluster);
    const refusal = await clusters.recordUid(cluster, start.kubeSystemUid);
    if (refusal) {
      freshness.changed(cluster);
      throw clusterReplaced(refusal);
    }
    if (sharing && !record.row) await upkeep.sweep();
    if (!sharing) admitReport(start, { record, current: calls.get(cluster), clock });
    const begun = await sharing?.begin(cluster, start, writer, signal);
    const fence: Fence | undefined = begun && [cluster, begun.fence];
    calls.get(cluster)?.end(inventoryErrors.INVENTORY_SUPERSEDED());
    const refuse = (error: FairleadError): void => outbox.refuse(error);
    const own: ReportCall = { agentInstanceId: start.agentInstanceId, epoch: start.epoch, end, refuse };
    const nowMs = clock.now();
    const state: ReportRecord = { startedMs: nowMs, heardMs: nowMs, pendingChanges: 0, oldestPendingMs: undefined };
    const published = begun && { cluster, fence: begun.fence, record, state };
    calls.set(cluster, own);
    record.session = state;
    if (published) sharing?.publisher.begin(published);
    let endReason = "The agent that reported its objects is gone.";
    try {
      if (begun) await takeOver(begun, { cluster, record, start });
      else await beginAlone({ cluster, record, start, signal });
      freshness.changed(cluster);
      log.info({ cluster, agentInstanceId: start.agentInstanceId, epoch: String(start.epoch) }, "an agent reports");
      const maxUnackedBytes = calls.size <= fewCalls ? 1_048_576 : 262_144;
      const { clusters: clusterStore, objects } = store;
      await runSession(
        {
          cluster,
          record,
          state,
          freshness,
          clusters: clusterStore,
          objects,
          writer,
          fence,
          clock,
          maxUnackedBytes,
          maxKinds,
          signal,
          onSurplusKinds: () => notes.noteSurplus(cluster),
          onReservedKinds: () => notes.noteReserved(cluster),
          followOrders: orders && ((tell) => orders.follow(cluster, tell)),
        },
        requests,
        outbox,
      );
    } catch (error) {
      if (isFairleadError(error)) endReason = error.message;
      log.info({ cluster, agentInstanceId: start.agentInstanceId, err: error }, "an agent's report ended");
      throw error;
    } finally {
      if (calls.get(cluster) === own) calls.delete(cluster);
      if (record.session === state) {
        record.session = undefined;
        record.endedMs = clock.now();
        record.endReason = endReason;
        freshness.changed(cluster);
      }
      if (published) sharing?.publisher.end(published, { atMs: clock.now(), reason: endReason });
    }
  }

  async function beginAlone({
    cluster,
    record,
    start,
    signal,
  }: ReportBeginning & { readonly signal: AbortSignal }): Promise<void> {
    if (!record.row) await upkeep.sweep();
    const row = { cluster, kubeSystemUid: start.kubeSystemUid, leaseEpoch: start.epoch };
    // Confirmed while nobody could forget the copy of the one before, as the hub was killed.
    if (record.row && record.row.kubeSystemUid !== row.kubeSystemUid) await forgetCopy(cluster, row.kubeSystemUid);
    if (record.row?.leaseEpoch !== start.epoch) await writer.run(() => store.clusters.putCluster(row), { signal });
    record.row = row;
  }

  /** Another hub may have had the report before, and changed what this one knows of the copy. */
  async function takeOver(begun: Begun, { cluster, record, start }: ReportBeginning): Promise<void> {
    const fence: Fence = [cluster, begun.fence];
    const { kubeSystemUid, epoch: leaseEpoch } = start;
    if (begun.isMoved) quota.take(cluster, begun.used);
    await sharing?.adopt(cluster);
    // The cluster was removed and made again, or confirmed to be another one.
    const isOther = begun.kubeSystemUid !== kubeSystemUid || (begun.isNew && record.row !== undefined);
    record.row = { cluster, kubeSystemUid, leaseEpoch };
    if (isOther) await forgetCopy(cluster, kubeSystemUid, fence);
    else await trimKinds({ records: [[cluster, record]], clusters: store.clusters, writer, maxKinds, fence });
  }

  async function confirmReplacement(cluster: string, kubeSystemUid: string): Promise<void> {
    if (!(await clusters.confirmReplacement(cluster, kubeSystemUid))) return;
    const number = await sharing?.seize(cluster, writer);
    calls.get(cluster)?.end(inventoryErrors.INVENTORY_SUPERSEDED());
    const record = freshness.of(cluster);
    if (sharing && record) {
      if (number === undefined) return;
      record.session = undefined;
      record.endedMs = clock.now();
    }
    try {
      await forgetCopy(cluster, kubeSystemUid, number === undefined ? undefined : [cluster, number]);
    } catch (error) {
      // The cluster that is meant reports already, to another hub, which forgets what was before.
      if (!inventoryErrors.is(error, "INVENTORY_SUPERSEDED")) throw error;
    }
  }

  /** The next copy is of another cluster. */
  async function forgetCopy(cluster: string, kubeSystemUid: string, fence?: Fence): Promise<void> {
    const record = freshness.of(cluster);
    if (!record?.row) return;
    await writer.forget({ cluster, fence });
    const kinds = [...record.kinds.keys()];
    await writer.run((guard) => store.clusters.removeKinds(cluster, kinds, guard), { fence });
    record.kinds.clear();
    record.kindsChanges += 1;
    const row = { cluster, kubeSystemUid, leaseEpoch: 0n };
    await writer.run((guard) => store.clusters.putCluster(row, guard), { fence });
    record.row = row;
    freshness.changed(cluster);
  }

  /** Gives the revision from which on changes are told. */
  async function loseHistory(mark: string): Promise<number> {
    log.error(
      { revision },
      "the database was put back to an older state: all subscriptions and comparisons begin anew",
    );
    for (const call of calls.values()) call.end(inventoryErrors.INVENTORY_HISTORY_LOST());
    const newest = await store.objects.newestRevision();
    await loadCopies(store, freshness);
    await sharing?.readAgain();
    quota.forget();
    facts.forget();
    revision = newest;
    history = markHistory(mark, history);
    for (const listener of lostListeners) listener();
    return newest;
  }

  function tell(changes: readonly CommittedChange[]): void {
    for (const { cluster, kind, change } of changes) {
      facts.touch(cluster, kind);
      const known = freshness.of(cluster)?.kinds.get(kind);
      // Where others write, too, several changes of an object may be told as one: its kind is counted otherwise.
      if (!known || sharing) continue;
      if (change === "created") known.objects++;
      if (change === "deleted" || change === "forgotten") known.objects--;
    }
    upkeep.count(changes.length);
    totals.countChanges(changes);
    revision = changes.at(-1)?.revision ?? revision;
    for (const listener of listeners) {
      try {
        listener(changes);
      } catch (error) {
        log.error({ err: error }, "a listener of the inventory failed");
      }
    }
  }

  function untilTold(wanted: number): Promise<void> {
    const isTold = (): boolean => revision >= wanted || isStopping;
    return untilTrue({ isTrue: isTold, listeners, timeoutMs: catchUpMs, clock });
  }

  function stop(): void {
    isStopping = true;
    for (const call of calls.values()) call.end(inventoryErrors.INVENTORY_STOPPING());
  }
}

interface ReportBeginning {
  readonly cluster: string;
  readonly record: ClusterRecord;
  readonly start: Beginning;
}

/** A hub that is behind for longer has other troubles. */
const catchUpMs = 3_000;
/** With more calls than this each gets less credit: what is on its way waits in the hub's memory. */
const fewCalls = 64;
