// A lease that this hub took: renewed until it is released or lost.
import type { Clock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Tables } from "../store/index.ts";
import { leaseErrors } from "./errors.ts";
import { type LeaseEvent, type LeaseState, nextLeaseState } from "./lease-state.ts";
import type { LeaseKey, LeaseStore } from "./store.ts";
import type { HeldLease } from "./types.ts";

export interface OwnLease extends HeldLease {
  /** Aborts the signal, and still renews the lease until it is released. */
  stop(): void;
}

export function keepLease(options: {
  readonly key: LeaseKey;
  readonly store: LeaseStore;
  readonly ttlMs: number;
  /** When the lease was asked for. */
  readonly askedMs: number;
  readonly passedMs: () => number;
  readonly clock: Clock;
  /** Called once. */
  readonly onEnd: (how: "lost" | "released") => void;
  /** The database knows that others may have it. */
  readonly onFree: () => void;
}): OwnLease {
  const { key, store, ttlMs, askedMs, passedMs, clock, onEnd, onFree } = options;
  const { name, fence } = key;
  const abort = new AbortController();
  let state: LeaseState = { kind: "held", untilMs: askedMs + ownShareOf(ttlMs) };
  let cancelRenewal = clock.after(ttlMs / renewalsPerTtl, () => void renew());
  let cancelDeadline: () => void = () => undefined;
  waitForDeadline();

  const lease: OwnLease = {
    name,
    fence,
    signal: abort.signal,
    get isHeld() {
      become({ kind: "time", nowMs: passedMs() });
      return state.kind === "held";
    },
    async guard(trx: Kysely<Tables>) {
      const isCurrent = lease.isHeld && state.kind === "held" && (await store.lock(trx, key, leftMs(state)));
      if (!isCurrent) throw leaseErrors.LEASE_LOST({ name });
    },
    stop: () => abort.abort(),
    async release() {
      if (state.kind !== "held") return;
      become({ kind: "released" });
      await store.release(key).then(onFree, () => undefined); // it ends by itself
    },
    [Symbol.asyncDispose]: () => lease.release(),
  };
  return lease;

  function become(event: LeaseEvent): void {
    const before = state;
    state = nextLeaseState(before, event);
    if (state.kind === "held" || before.kind !== "held") return;
    cancelRenewal();
    cancelDeadline();
    abort.abort(leaseErrors.LEASE_LOST({ name }));
    onEnd(state.kind);
  }

  /** Until others may have it, by the database. */
  function leftMs({ untilMs }: { readonly untilMs: number }): number {
    return untilMs - passedMs() + ttlMs - ownShareOf(ttlMs);
  }

  function waitForDeadline(): void {
    cancelDeadline();
    if (state.kind !== "held") return;
    cancelDeadline = clock.after(Math.max(0, state.untilMs - passedMs()), () => {
      become({ kind: "time", nowMs: passedMs() });
      waitForDeadline();
    });
  }

  async function renew(): Promise<void> {
    const sentMs = passedMs();
    let nextMs = ttlMs / renewalsPerTtl;
    try {
      const isRenewed = await store.renew(key, ttlMs);
      const nowMs = passedMs();
      become(isRenewed ? { kind: "renewed", untilMs: sentMs + ownShareOf(ttlMs), nowMs } : { kind: "refused" });
    } catch {
      nextMs = ttlMs / retriesPerTtl; // the deadline stays as it was
    }
    if (state.kind !== "held") return;
    waitForDeadline();
    cancelRenewal = clock.after(nextMs, () => void renew());
  }
}

/** The rest is between this hub's giving up and the next one's begin: for clocks that run unlike, and for what is under way. */
export function ownShareOf(ttlMs: number): number {
  return ttlMs * 0.8;
}

const renewalsPerTtl = 3;
const retriesPerTtl = 15;
