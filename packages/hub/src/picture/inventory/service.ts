// The hub's copy of what is in clusters: agents write it, each its own cluster's, and other rooms read it.
import { type Clock, type FairleadError, isFairleadError, onAbort, sleep } from "@fairlead/kernel";
import type { Role, SyncRequest } from "@fairlead/protocol";
import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { InventoryTotals, Logger } from "../../platform/telemetry/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import { admitReport, type Beginning, type ReportCall, readStart } from "./admission.ts";
import { type CopyStore, createCopyStore } from "./copy-store.ts";
import { clusterReplaced, inventoryErrors } from "./errors.ts";
import { createFactsReader } from "./facts.ts";
import { type Freshness, type ReportRecord, toKindInfo } from "./freshness.ts";
import { createObjectStore, type ObjectStore } from "./object-store.ts";
import { Outbox, type OutboxAnswer } from "./outbox.ts";
import { createQuota, type InventoryLimits } from "./quota.ts";
import { runSession } from "./session.ts";
import { takeUntilAbort } from "./take-until-abort.ts";
import { createTotals } from "./totals.ts";
import { trimKinds } from "./trim-kinds.ts";
import type { CommittedChange, InventoryReader } from "./types.ts";
import { startUpkeep } from "./upkeep.ts";
import { createWriter } from "./writer.ts";

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
    "get" | "uids" | "exists" | "recordUid" | "recordEvent" | "confirmReplacement" | "onRevoked"
  >;
  /** Made before the registry of clusters, which reads it. */
  readonly freshness: Freshness;
  readonly limits: InventoryLimits;
  readonly clock: Clock;
  readonly log: Logger;
}

export async function openInventory(options: InventoryOptions): Promise<Inventory> {
  const { db, queries = db, clusters, freshness, limits, clock, log } = options;
  const store: { readonly clusters: CopyStore; readonly objects: ObjectStore } = {
    clusters: createCopyStore(db),
    objects: createObjectStore(db),
  };
  const totals = createTotals(freshness);
  const facts = createFactsReader({ db: queries, clock });
  const listeners = new Set<(changes: readonly CommittedChange[]) => void>();
  const calls = new Map<string, ReportCall>();
  const notedMs = new Map<string, number>();
  let revision = await store.objects.newestRevision();
  let isStopping = false;
  await load(store, freshness);
  const quota = createQuota({ store: store.objects, limits, clock, onRefused: noteRefused });
  const writer = createWriter({ store: store.objects, clock, log, quota, revision, onCommitted: tell });
  const { clusterMaxKinds: maxKinds } = limits;
  const trimmed = trimKinds({ freshness, clusters: store.clusters, writer, maxKinds }).catch((error: unknown) => {
    if (!isStopping) log.warn({ err: error }, "kinds beyond the bound of their clusters can't be deleted");
  });
  freshness.storeFailure = () =>
    writer.failure && { message: writer.failure.error.message, sinceMs: writer.failure.sinceMs };
  const upkeep = startUpkeep({ ...store, writer, freshness, clock, log });
  const stopListening = clusters.onRevoked(({ cluster }) => {
    calls.get(cluster)?.end(inventoryErrors.INVENTORY_CLUSTER_GONE());
    if (clusters.exists(cluster)) return;
    freshness.remove(cluster);
    quota.forget(cluster);
    for (const key of notedMs.keys()) if (key.startsWith(`${cluster} `)) notedMs.delete(key);
    void upkeep.sweep();
  });

  return {
    sync,
    stop,
    totals: totals.read,
    get revision() {
      return revision;
    },
    freshness(cluster) {
      const { state, stateSince, stateReason } = clusters.get(cluster);
      const { verifiedMs, ...described } = freshness.describe(cluster);
      const { known, replacement } = clusters.uids(cluster);
      return {
        ...{ cluster, state, stateSince, reason: stateReason, ...described },
        ...(verifiedMs === undefined
          ? {}
          : { verifiedAt: new Date(verifiedMs).toISOString(), ageMs: Math.max(0, clock.now() - verifiedMs) }),
        ...{ kubeSystemUid: known, replacementUid: replacement },
      };
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
      listeners.clear();
    },
  };

  async function* sync(
    requests: AsyncIterable<SyncRequest>,
    { peer, signal }: { readonly peer: Peer; readonly signal: AbortSignal },
  ): AsyncGenerator<OutboxAnswer> {
    const { cluster, roles } = peer;
    if (!roles.includes("observe")) throw inventoryErrors.INVENTORY_ROLE_REQUIRED();
    if (isStopping) throw inventoryErrors.INVENTORY_STOPPING();
    const outbox = new Outbox();
    const ended = new AbortController();
    const end = (reason: unknown): void => {
      ended.abort(reason);
      outbox.end(reason);
    };
    using _listening = onAbort(signal, end);
    const reading = read().then(
      () => outbox.end(),
      (error: unknown) => {
        totals.countError(error);
        outbox.end(error);
      },
    );
    try {
      yield* outbox;
    } finally {
      end(undefined);
      void reading;
    }

    async function read(): Promise<void> {
      const messages = takeUntilAbort(requests, ended.signal);
      const begun = await Promise.race([messages.next(), timeOut(ended.signal)]);
      const message = begun?.value?.message as SyncRequest["message"] | undefined;
      if (message?.case !== "start")
        throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: "a call begins with Start" });
      const start = readStart(message.value);
      await report({ cluster, start, requests: messages, outbox, end, signal: ended.signal });
    }
  }

  /** Serves a call from its first message on. */
  async function report(call: {
    readonly cluster: string;
    readonly start: Beginning;
    readonly requests: AsyncIterable<SyncRequest>;
    readonly outbox: Outbox;
    readonly end: (reason: unknown) => void;
    readonly signal: AbortSignal;
  }): Promise<void> {
    const { cluster, start, requests, outbox, end, signal } = call;
    await trimmed;
    if (!clusters.exists(cluster)) throw inventoryErrors.INVENTORY_CLUSTER_GONE();
    const record = freshness.need(cluster);
    const refusal = await clusters.recordUid(cluster, start.kubeSystemUid);
    if (refusal) {
      freshness.changed(cluster);
      throw clusterReplaced(refusal);
    }
    const current = calls.get(cluster);
    admitReport(start, { record, current, clock });
    current?.end(inventoryErrors.INVENTORY_SUPERSEDED());
    const refuse = (error: FairleadError): void => outbox.refuse(error);
    const own: ReportCall = { agentInstanceId: start.agentInstanceId, epoch: start.epoch, end, refuse };
    const nowMs = clock.now();
    const state: ReportRecord = { startedMs: nowMs, heardMs: nowMs, pendingChanges: 0, oldestPendingMs: undefined };
    calls.set(cluster, own);
    record.session = state;
    let endReason = "The agent that reported its objects is gone.";
    try {
      if (!record.row) await upkeep.sweep();
      const row = { cluster, kubeSystemUid: start.kubeSystemUid, leaseEpoch: start.epoch };
      // Confirmed while nobody could forget the copy of the one before, as the hub was killed.
      if (record.row && record.row.kubeSystemUid !== row.kubeSystemUid) await forgetCopy(cluster, row.kubeSystemUid);
      if (record.row?.leaseEpoch !== start.epoch) await writer.run(() => store.clusters.putCluster(row), signal);
      record.row = row;
      freshness.changed(cluster);
      log.info({ cluster, agentInstanceId: start.agentInstanceId, epoch: String(start.epoch) }, "an agent reports");
      const maxUnackedBytes = calls.size <= fewCalls ? 1_048_576 : 262_144;
      const { clusters: clusterStore, objects } = store;
      await runSession(
        {
          ...{ cluster, record, state, freshness, clusters: clusterStore, objects, writer, clock },
          ...{ maxUnackedBytes, maxKinds, signal },
          onSurplusKinds: () => noteSurplus(cluster),
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
    }
  }

  /** Once in a while for each cluster: in the hub's log and among its events. The agent hears of it in each call. */
  function note(cluster: string, error: FairleadError): void {
    calls.get(cluster)?.refuse(error);
    const key = `${cluster} ${error.code}`;
    if (clock.now() - (notedMs.get(key) ?? Number.NEGATIVE_INFINITY) < noteEveryMs) return;
    notedMs.set(key, clock.now());
    log.warn({ cluster, code: error.code }, error.message);
    const event = { type: "inventory-limited", message: `${error.message} (${error.code})` } as const;
    clusters.recordEvent(cluster, event).catch((failed: unknown) => {
      log.warn({ err: failed, cluster }, "can't record that a cluster's copy is limited");
    });
  }

  function noteSurplus(cluster: string): void {
    note(cluster, inventoryErrors.INVENTORY_KINDS_TOO_MANY({ cluster, maxKinds }));
  }

  function noteRefused(
    { cluster, kind }: { readonly cluster: string; readonly kind: string },
    error: FairleadError,
  ): void {
    note(cluster, error);
    const known = freshness.of(cluster)?.kinds.get(kind);
    if (!known) return;
    const { code, message } = error;
    const isNews = known.refused?.code !== code;
    const sinceMs = known.refused?.sinceMs ?? clock.now();
    known.refused = { code, message, sinceMs, isCompared: false };
    if (isNews) freshness.changed(cluster);
  }

  async function confirmReplacement(cluster: string, kubeSystemUid: string): Promise<void> {
    if (!(await clusters.confirmReplacement(cluster, kubeSystemUid))) return;
    calls.get(cluster)?.end(inventoryErrors.INVENTORY_SUPERSEDED());
    await forgetCopy(cluster, kubeSystemUid);
  }

  /** The next copy is of another cluster. */
  async function forgetCopy(cluster: string, kubeSystemUid: string): Promise<void> {
    const record = freshness.of(cluster);
    if (!record?.row) return;
    await writer.forget({ cluster });
    for (const kind of record.kinds.keys()) await writer.run(() => store.clusters.removeKind(cluster, kind));
    record.kinds.clear();
    const row = { cluster, kubeSystemUid, leaseEpoch: 0n };
    await writer.run(() => store.clusters.putCluster(row));
    record.row = row;
    freshness.changed(cluster);
  }

  function tell(changes: readonly CommittedChange[]): void {
    for (const { cluster, kind, change } of changes) {
      facts.touch(cluster, kind);
      const known = freshness.of(cluster)?.kinds.get(kind);
      if (!known) continue;
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

  function stop(): void {
    isStopping = true;
    for (const call of calls.values()) call.end(inventoryErrors.INVENTORY_STOPPING());
  }

  async function timeOut(signal: AbortSignal): Promise<undefined> {
    await sleep(startTimeoutMs, { clock, signal });
    throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: "nothing came" });
  }
}

async function load(
  store: { readonly clusters: CopyStore; readonly objects: ObjectStore },
  freshness: Freshness,
): Promise<void> {
  const { clusters, kinds } = await store.clusters.load();
  for (const row of clusters) freshness.need(row.cluster).row = row;
  for (const row of kinds) freshness.need(row.cluster).kinds.set(row.kind, { row, objects: 0 });
  for (const { cluster, kind, objects } of await store.objects.countObjects()) {
    const known = freshness.of(cluster)?.kinds.get(kind);
    if (known) known.objects = objects;
  }
}

const noteEveryMs = 3_600_000;
const startTimeoutMs = 15_000;
/** With more calls than this each gets less credit: what is on its way waits in the hub's memory. */
const fewCalls = 64;
