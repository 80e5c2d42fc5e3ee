// The hub's record of who asked for what and how it ended: what begins here ends here, whatever happens in between.
import type { AuditVerification } from "@fairlead/contract";
import { type Clock, type FairleadError, systemClock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Bus } from "../../platform/bus/index.ts";
import type { Leases } from "../../platform/leases/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { AuditTotals, Logger } from "../../platform/telemetry/index.ts";
import { catchUp } from "./catch-up.ts";
import { settleChain } from "./chain-file.ts";
import { auditErrors } from "./errors.ts";
import { type AuditFeed, createAuditFeed } from "./feed.ts";
import { createSpill, type Spill, takeSpills } from "./hand-over.ts";
import { openJournal } from "./journal.ts";
import { createRepeats } from "./repeats.ts";
import { keepRecords } from "./retention.ts";
import { createRetries } from "./retries.ts";
import { type AuditSink, openAuditSink } from "./sink.ts";
import { createAuditStore } from "./store.ts";
import { auditTopic } from "./tails.ts";
import type { AuditOutcome, AuditPort, AuditStart, AuditTrail, Block, Entry, NamedHead } from "./types.ts";
import { verifyChains } from "./verify.ts";
import { witnessOthers } from "./witness.ts";
import { AuditWriter } from "./writer.ts";

export interface Audit extends AuditPort, AsyncDisposable {
  readonly feed: AuditFeed;
  /** Before the store goes to another hub: later records are left for that one. */
  handOver(): Promise<void>;
  /** Ends all who follow: the hub is stopping. */
  endReaders(): void;
  verify(signal?: AbortSignal): Promise<AuditVerification>;
  /** Resolves when what was recorded so far can be read, or after a second. */
  flush(): Promise<void>;
  readonly counters: AuditTotals;
  /** Resolves when the database lost what this hub can't write again, so that it must begin anew. */
  readonly lost: Promise<FairleadError>;
}

export interface AuditOptions {
  readonly db: Kysely<Tables>;
  /** For what people ask; the same unless told. */
  readonly queries?: Kysely<Tables> | undefined;
  readonly log: Logger;
  readonly clock?: Clock | undefined;
  /** File for the same records as lines; `-` is standard output. */
  readonly logFile?: string | undefined;
  readonly retentionMs?: number | undefined;
  /** False: what can't be recorded is done all the same. */
  readonly isRequired?: boolean | undefined;
  readonly maxWaiting?: number | undefined;
  /** Holds records until the store has them; undefined: the store gets them at once. */
  readonly journalFile?: string | undefined;
  /** Several hubs share the database. */
  readonly isShared?: boolean | undefined;
  /** Holds the name of this hub's chain; undefined: it has no place to keep it. */
  readonly chainFile?: string | undefined;
  /** Tells other hubs of new records, and hears of theirs. */
  readonly bus?: Pick<Bus, "hint" | "onHint"> | undefined;
  /** Undefined: no other hub tidies up. */
  readonly leases?: Pick<Leases, "take"> | undefined;
  /** Every record names it. */
  readonly hubInstanceId?: string | undefined;
  /** Where hubs on the same data leave records for the next one; undefined: there is no next one. */
  readonly handOverFolder?: string | undefined;
}

export async function openAudit(options: AuditOptions): Promise<Audit> {
  const { db, queries = db, log, clock = systemClock, logFile, retentionMs = 90 * 86_400_000 } = options;
  const { isRequired = true, maxWaiting = 20_000, handOverFolder, journalFile: path } = options;
  const { isShared = false, chainFile, hubInstanceId: hub, bus, leases } = options;
  await using undo = new AsyncDisposableStack();
  const store = createAuditStore(db);
  const asked = createAuditStore(queries);
  const settled = await settleChain({ file: chainFile, isShared, store, hub: hub ?? "", log });
  const { chain, head: storedHead } = settled;
  const none = { journal: undefined, head: storedHead };
  const { journal, head } =
    path === undefined ? none : await openJournal({ path, store, chain, head: storedHead, log });
  if (journal) undo.use(journal);
  const sink: AuditSink | undefined = logFile === undefined ? undefined : undo.use(await openAuditSink(logFile));
  if (sink) await catchUp({ sink, store, chain, head, log });
  const feed = createAuditFeed({
    store: asked,
    chain,
    headSeq: head.seq,
    isShared,
    bus,
    clock,
    log,
    flush: () => writer.flush(),
  });
  const lost = Promise.withResolvers<FairleadError>();
  const isWatched = (): boolean => feed.isFollowed;
  const writer = undo.use(
    new AuditWriter({
      store: store.chain(chain),
      writing: { chain, hub },
      head,
      journal,
      isWatched,
      sink,
      clock,
      log,
      onKept,
      onLost: lost.resolve,
    }),
  );
  const repeats = undo.use(createRepeats({ clock, record: (entry) => writer.push(entry) }));
  const retries = createRetries();
  const witness = undo.use(
    witnessOthers({ store, chain, hub: hub ?? "", isShared, clock, log, record: (entry) => writer.push(entry) }),
  );
  const retention = undo.use(
    keepRecords({ store, chain, leases: isShared ? leases : undefined, tellGone, clock, log, retentionMs }),
  );
  const take = async (entries: readonly Entry[]): Promise<void> => {
    for (const entry of entries) writer.push(entry);
    await writer.flush();
  };
  const spills =
    handOverFolder === undefined ? undefined : undo.use(takeSpills({ folder: handOverFolder, take, clock, log }));
  let spill: Spill | undefined;
  const counters = { refused: 0, dropped: 0 };
  // Without a folder for it nothing of a hub is on disk, unless its database is elsewhere.
  const mustBeSafe = isRequired && (path !== undefined || isShared);
  const owned = undo.move();

  return {
    begin,
    feed,
    lost: lost.promise,
    async handOver() {
      if (handOverFolder === undefined || spill) return;
      await spills?.[Symbol.asyncDispose]();
      await witness[Symbol.asyncDispose]();
      await retention[Symbol.asyncDispose]();
      spill = createSpill(handOverFolder);
      await writer.divert(spill.write);
    },
    endReaders: () => feed[Symbol.dispose](),
    verify: (signal) => retention.pauseFor(() => verifyAfterFlush(signal)),
    flush: () => writer.flush(),
    get counters() {
      return { ...counters, waiting: writer.waiting, kept: writer.keptRecords, failures: writer.failures };
    },
    async [Symbol.asyncDispose]() {
      feed[Symbol.dispose]();
      await owned.disposeAsync();
      await spill?.finish();
    },
  };

  function onKept(block: Block): void {
    feed.add(block);
    if (isShared) bus?.hint(auditTopic);
  }

  async function tellGone(heads: readonly NamedHead[]): Promise<boolean> {
    witness.tellGone(heads);
    await writer.flush();
    return writer.waiting === 0;
  }

  async function verifyAfterFlush(signal: AbortSignal | undefined): Promise<AuditVerification> {
    await writer.flush();
    return await verifyChains(asked, chain, signal);
  }

  function begin(start: AuditStart): AuditTrail {
    if (writer.waiting >= maxWaiting || writer.isTaken) {
      if (isRequired) {
        counters.refused += 1;
        throw auditErrors.AUDIT_UNAVAILABLE({ waiting: writer.waiting });
      }
      counters.dropped += 1;
      return nowhere;
    }
    const correlates = retries.find(start);
    return createTrail(start, correlates);
  }

  function createTrail(start: AuditStart, correlates: string | undefined): AuditTrail {
    let isOver = false;
    const begun = start.isChange && mustBeSafe ? beginSafely() : undefined;
    begun?.catch(() => undefined);
    // A refused request is over within this turn, and never began.
    if (start.isLong && !begun) {
      queueMicrotask(() => {
        if (!isOver) writer.push({ at: start.at, phase: "start", start, correlates });
      });
    }
    return {
      begun,
      end(outcome) {
        const entry = finish(outcome);
        if (entry) writer.push(entry);
      },
      async endSafely(outcome) {
        const entry = finish(outcome);
        if (!entry) return;
        if (mustBeSafe) await writer.pushSafely(entry);
        else writer.push(entry);
      },
    };

    async function beginSafely(): Promise<void> {
      await Promise.resolve();
      if (!isOver) await writer.pushSafely({ at: start.at, phase: "start", start, correlates });
    }

    /** The record to be made; undefined when there is none for this alone. */
    function finish(outcome: AuditOutcome): Entry | undefined {
      if (isOver) return undefined;
      isOver = true;
      const at = clock.now();
      if ((outcome.status ?? 0) >= 400) retries.refused(start, at);
      const entry = { at, phase: "end", start, outcome, correlates } as const;
      return repeats.take(entry) ? undefined : entry;
    }
  }
}

const nowhere: AuditTrail = { end: () => undefined, endSafely: async () => undefined };
