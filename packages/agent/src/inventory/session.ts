// A call without its transport: takes the hub's messages, says what to send next. Everything that it learns dies with
// it; the next call compares anew.
import type { ExamineBy, QuotaRefusal } from "@fairlead/protocol";
import type { ObjectRef } from "../observe/index.ts";
import type { BodyStore } from "./body-store.ts";
import { KindSync, type Question } from "./kind-sync.ts";
import { type FromHub, type ToHub, toKind, toQuestion, toRequest } from "./messages.ts";
import { Outbox } from "./outbox.ts";
import type { KindState, LocalKind, Plain } from "./types.ts";

export interface SessionOptions {
  readonly start: { readonly kubeSystemUid: string; readonly agentInstanceId: string; readonly leaseEpoch: bigint };
  readonly bodies: BodyStore;
  /** By the steady clock. */
  readonly nowMs: () => number;
  /** Milliseconds since the epoch. */
  readonly wallMs: () => number;
  /** There may be something to send or to fetch. */
  readonly onWork: () => void;
  /** The hub's copy of this kind was found to be wrong; it is compared. */
  readonly onDrift?: (key: string) => void;
  /** The hub doesn't keep all that it is told. */
  readonly onRefusal?: (refusal: Plain<QuotaRefusal>) => void;
  /** The cluster is to be examined by this from now on. */
  readonly onExamineBy?: ((order: Plain<ExamineBy>) => void) | undefined;
}

interface Told {
  readonly state: KindState;
  readonly description: LocalKind["description"];
  readonly unavailable: LocalKind["unavailable"];
}

export class SyncSession {
  readonly #options: SessionOptions;
  readonly #kinds = new Map<string, KindSync>();
  readonly #byId = new Map<number, KindSync>();
  readonly #questions: { readonly id: number; readonly question: Question }[] = [];
  readonly #untold = new Set<KindSync>();
  readonly #told = new Map<KindSync, Told>();
  readonly #removed: number[] = [];
  readonly #unverified = new Set<KindSync>();
  readonly #outbox: Outbox;
  #isStarted = false;
  #isWelcome = false;
  #isAliveDue = false;
  #completeness: "unknown" | "untold" | "told" = "unknown";

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#outbox = new Outbox({ bodies: options.bodies });
  }

  get isWelcome(): boolean {
    return this.#isWelcome;
  }

  get sent(): { readonly changes: number; readonly bytes: number } {
    return { changes: this.#outbox.sentChanges, bytes: this.#outbox.sentBytes };
  }

  of(key: string): KindSync | undefined {
    return this.#kinds.get(key);
  }

  /** A new kind, or another description of a known one. */
  describe(local: LocalKind): void {
    const known = this.#kinds.get(local.description.key);
    if (known) {
      this.tell(known);
      return;
    }
    const { bodies, nowMs } = this.#options;
    const ask = (question: Question): void => {
      this.#questions.push({ id: local.id, question });
      this.wake();
    };
    const onDrift = (): void => this.#options.onDrift?.(local.description.key);
    const sync = new KindSync({ local, bodies, ask, nowMs, onDrift });
    this.#kinds.set(sync.key, sync);
    this.#byId.set(local.id, sync);
    this.#outbox.add(sync);
    this.tell(sync);
  }

  forget(local: LocalKind): void {
    const sync = this.#byId.get(local.id);
    if (sync === undefined) return;
    this.#kinds.delete(sync.key);
    this.#byId.delete(local.id);
    this.#outbox.remove(sync);
    this.#untold.delete(sync);
    this.#unverified.delete(sync);
    // A kind that the hub was never told of is no longer asked for either.
    if (this.#told.delete(sync)) this.#removed.push(local.id);
    this.wake();
  }

  complete(): void {
    if (this.#completeness === "unknown") this.#completeness = "untold";
    this.wake();
  }

  /** The kind's state may be another one now. */
  tell(sync: KindSync): void {
    // A kind that went isn't told of, though answers for it may still come.
    if (this.#byId.get(sync.local.id) === sync) this.#untold.add(sync);
    this.wake();
  }

  /** There is something to send or to fetch. */
  wake(): void {
    this.#options.onWork();
  }

  aliveDue(): void {
    this.#isAliveDue = true;
    this.wake();
  }

  receive(message: FromHub): void {
    switch (message.case) {
      case "welcome":
        this.#isWelcome = true;
        this.#outbox.grant(message.value.maxUnackedBytes);
        break;
      case "digests":
        this.#answered(message.value.kind, (sync) => sync.digests(message.value));
        break;
      case "bucketEntries":
        this.#answered(message.value.kind, (sync) => sync.entries(message.value));
        break;
      case "ack":
        for (const sync of this.#outbox.acknowledged(Number(message.value.sequence))) {
          sync.acknowledged();
          this.tell(sync);
          if (this.#unverified.has(sync) && sync.verify()) this.#unverified.delete(sync);
        }
        break;
      case "refusal":
        this.#options.onRefusal?.(message.value);
        return;
      case "examineBy":
        this.#options.onExamineBy?.(message.value);
        return;
      case undefined:
        return;
    }
    this.#options.bodies.wakeAll();
    this.wake();
  }

  /** The next message; undefined: nothing to send until `onWork`. */
  next(): ToHub | undefined {
    if (!this.#isStarted) {
      this.#isStarted = true;
      return toRequest("start", { ...this.#options.start, sentAtMs: BigInt(this.#options.wallMs()) });
    }
    if (!this.#isWelcome) return undefined;
    return this.#nextKinds() ?? this.#nextAlive() ?? this.#nextQuestion() ?? this.#nextBatch();
  }

  /** Objects of one kind whose bodies have to be fetched, when there is room for them. Each is answered to `KindSync.dirty`. */
  nextWanted(isBusy: (key: string) => boolean): { readonly sync: KindSync; readonly refs: ObjectRef[] } | undefined {
    if (!this.#options.bodies.isLow) return undefined;
    for (const sync of this.#kinds.values()) {
      if (sync.dirty.hungryCount === 0 || sync.local.unavailable || isBusy(sync.key)) continue;
      // All of them: many are found by one list, however many they are.
      const refs = sync.dirty.takeHungry().flatMap((uid) => sync.local.set.refOf(uid) ?? []);
      if (refs.length > 0) return { sync, refs };
    }
    return undefined;
  }

  /** Asks the hub for the totals of every kind; of one that isn't quiet when it is for a moment. */
  verify(): void {
    for (const sync of this.#kinds.values()) if (!sync.verify()) this.#unverified.add(sync);
  }

  pending(): { readonly changes: number; readonly oldestMs: number } {
    const nowMs = this.#options.nowMs();
    let changes = 0;
    let oldestMs = 0;
    for (const { dirty } of this.#kinds.values()) {
      changes += dirty.size;
      oldestMs = Math.max(oldestMs, nowMs - (dirty.oldestSinceMs() ?? nowMs));
    }
    return { changes, oldestMs };
  }

  end(): void {
    this.#outbox.giveBack();
    this.#options.bodies.wakeAll();
  }

  #answered(id: number, take: (sync: KindSync) => void): void {
    const sync = this.#byId.get(id);
    // A kind that went while the hub was asked.
    if (sync === undefined) return;
    take(sync);
    this.tell(sync);
  }

  #nextKinds(): ToHub | undefined {
    // In a message of their own: one that went may be among the new ones too, with another id.
    if (this.#removed.length > 0) return toRequest("kinds", { removed: this.#removed.splice(0) });
    const changed: object[] = [];
    for (const sync of this.#untold) {
      const { state, local } = sync;
      const { description, unavailable } = local;
      const told = this.#told.get(sync);
      if (told?.state === state && told.description === description && told.unavailable === unavailable) continue;
      this.#told.set(sync, { state, description, unavailable });
      changed.push(toKind(local, state));
      if (sync.isSynced) this.#isAliveDue = true;
    }
    this.#untold.clear();
    const complete = this.#completeness === "untold";
    if (changed.length === 0 && !complete) return undefined;
    if (complete) this.#completeness = "told";
    return toRequest("kinds", { changed, complete });
  }

  #nextAlive(): ToHub | undefined {
    if (!this.#isAliveDue) return undefined;
    this.#isAliveDue = false;
    const nowMs = this.#options.nowMs();
    const ages: { kind: number; verifiedMsAgo: number }[] = [];
    for (const sync of this.#kinds.values()) {
      const { id, aliveAtMs } = sync.local;
      if (!sync.isSynced || aliveAtMs === undefined) continue;
      // The hub's copy isn't newer than the oldest change that it lacks.
      const isTrueAtMs = Math.min(aliveAtMs, sync.dirty.oldestSinceMs() ?? aliveAtMs);
      ages.push({ kind: id, verifiedMsAgo: toMs(nowMs - isTrueAtMs) });
    }
    const { changes, oldestMs } = this.pending();
    return toRequest("alive", { ages, oldestPendingMs: toMs(oldestMs), pendingChanges: changes });
  }

  #nextQuestion(): ToHub | undefined {
    for (let next = this.#questions.shift(); next !== undefined; next = this.#questions.shift())
      if (this.#byId.has(next.id)) return toQuestion(next.id, next.question);
    return undefined;
  }

  #nextBatch(): ToHub | undefined {
    const batch = this.#outbox.next(this.#options.nowMs());
    return batch && toRequest("batch", batch);
  }
}

function toMs(durationMs: number): number {
  return Math.max(0, Math.min(Math.round(durationMs), 2 ** 32 - 1));
}
