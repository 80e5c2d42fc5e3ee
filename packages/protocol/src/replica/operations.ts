// Operations are done once: a sync, its end, a refresh. The id decides, and it lies on the target's object.
import type { Operation, OperationAction, OperationOutcome, OperationResult, ReplicaRefusal } from "./types.ts";

/**
 * A new operation's id. Ids of one object rise, whatever the clocks of those who make them say: `last` is the highest that
 * is known for it, of the annotations on the object and its mirror.
 */
export function nextOperationId(options: { nowMs: number; last: string | undefined; random(): number }): string {
  const lastMs = Number(options.last?.slice(0, timeDigits) ?? 0);
  const timeMs = Math.max(options.nowMs, Number.isFinite(lastMs) ? lastMs + 1 : 0);
  const suffix = Math.floor(options.random() * 2 ** 40).toString(36);
  return `${String(timeMs).padStart(timeDigits, "0")}-${suffix.padStart(8, "0")}`;
}

/** False for one that no hub can have made by now, as far as clocks differ. */
export function isOperationId(id: string, nowMs: number): boolean {
  return idPattern.test(id) && Number(id.slice(0, timeDigits)) <= nowMs + maxAheadMs;
}

/**
 * Judges whether a target starts an operation. `last` is the annotation of that action on its object. It is written
 * together with the start, under the object's resourceVersion, so a started operation is known as such for ever.
 */
export function judgeOperation(id: string, last: string | undefined): "start" | "repeated" | "superseded" {
  if (last === undefined || id > last) return "start";
  return id === last ? "repeated" : "superseded";
}

/** The annotation that keeps the id of the last operation of an action that was started. */
export function operationAnnotation(action: OperationAction): string {
  return action === "sync" ? "fairlead.dev/operation-id" : `fairlead.dev/${action}-id`;
}

export interface OperationSourceOptions {
  /** May it be handed over? A sync waits until the target has the spec that it was asked for with. */
  isReady(operation: Operation): boolean;
  /** It was started, now or before, or it won't be. The request for it can be let go. */
  onSettled(operation: Operation, outcome: OperationOutcome): void;
  onWork(): void;
  /** By the steady clock, as `dueAtMs` is. */
  now(): number;
  random(): number;
}

/**
 * Hands operations over until the target has said what became of them. It keeps one of each action and object. It keeps
 * nothing over a restart: operations are on the source's objects, and their owner offers them again under the same ids.
 */
export class OperationSource {
  readonly #options: OperationSourceOptions;
  readonly #offers = new Map<string, Offer>();
  readonly #settledIds = new Map<string, string>();
  #isConnected = false;

  constructor(options: OperationSourceOptions) {
    this.#options = options;
  }

  /** `busy`: another one of this action and object isn't settled. `known`: this one is here, or was settled. */
  offer(operation: Operation): "accepted" | "known" | "busy" {
    const key = toKey(operation);
    const current = this.#offers.get(key)?.operation;
    if (current?.id === operation.id || this.#settledIds.get(key) === operation.id) return "known";
    if (current !== undefined) return "busy";
    this.#offers.set(key, { operation, isSent: false, retryAtMs: 0, attempts: 0 });
    this.#options.onWork();
    return "accepted";
  }

  /** The object is gone, and what was asked of it. */
  forget(uid: string): void {
    for (const map of [this.#offers, this.#settledIds]) {
      for (const key of [...map.keys()]) if (key.startsWith(`${uid} `)) map.delete(key);
    }
  }

  connect(): void {
    this.#isConnected = true;
    for (const offer of this.#offers.values()) offer.isSent = false;
    this.#options.onWork();
  }

  disconnect(): void {
    this.#isConnected = false;
  }

  /** The next to hand over. Undefined: none now; ask again after `onWork`, at `dueAtMs`, or when `isReady` may say another thing. */
  take(): Operation | undefined {
    if (!this.#isConnected) return undefined;
    const now = this.#options.now();
    for (const offer of this.#offers.values()) {
      if (offer.isSent || offer.retryAtMs > now || !this.#options.isReady(offer.operation)) continue;
      offer.isSent = true;
      return offer.operation;
    }
    return undefined;
  }

  receive(result: OperationResult): void {
    const key = toKey(result);
    const offer = this.#offers.get(key);
    if (!this.#isConnected || offer?.operation.id !== result.id) return;
    if (result.outcome === "refused" && result.retryAfterMs > 0) {
      this.#postpone(offer, result);
      return;
    }
    this.#offers.delete(key);
    this.#settledIds.set(key, result.id);
    this.#options.onSettled(offer.operation, result);
  }

  dueAtMs(): number | undefined {
    const times = [...this.#offers.values()].filter(({ isSent }) => !isSent).map(({ retryAtMs }) => retryAtMs);
    return times.length === 0 ? undefined : times.reduce((least, time) => Math.min(least, time));
  }

  /** Those that aren't settled, with why they were refused when they last were. */
  status(): readonly (Operation & { readonly refusal: ReplicaRefusal | undefined })[] {
    return [...this.#offers.values()].map(({ operation, refusal }) => ({ ...operation, refusal }));
  }

  #postpone(offer: Offer, refusal: ReplicaRefusal): void {
    offer.attempts += 1;
    const growth = Math.min(maxRetryMs, refusal.retryAfterMs * 2 ** Math.min(offer.attempts - 1, 10));
    offer.retryAtMs = this.#options.now() + growth * (0.5 + this.#options.random() / 2);
    offer.isSent = false;
    offer.refusal = refusal;
    this.#options.onWork();
  }
}

interface Offer {
  readonly operation: Operation;
  isSent: boolean;
  retryAtMs: number;
  attempts: number;
  refusal?: ReplicaRefusal;
}

function toKey({ uid, action }: Pick<Operation, "uid" | "action">): string {
  return `${uid} ${action}`;
}

const timeDigits = 14;
const idPattern = /^\d{14}-[0-9a-z]{8}$/;
const maxAheadMs = 48 * 3_600_000;
const maxRetryMs = 60_000;
