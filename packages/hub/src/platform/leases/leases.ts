// Takes leases, waits for those that others have, and looks for free ones by one question for all that are waited for.
import { Backoff, type Clock, onAbort, sleep } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Bus } from "../bus/index.ts";
import type { Tables } from "../store/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { keepLease, type OwnLease, ownShareOf } from "./held-lease.ts";
import { createPassingTime } from "./passing-time.ts";
import { createLeaseSeeker, leaseTopic } from "./seeker.ts";
import { createLeaseStore } from "./store.ts";
import type { HoldOptions, Leases } from "./types.ts";

export function openLeases(options: {
  readonly db: Kysely<Tables>;
  readonly bus: Bus;
  readonly hubInstanceId: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly monotonicMs?: (() => number) | undefined;
}): Leases {
  const { db, bus, hubInstanceId, clock, log, monotonicMs = () => performance.now() } = options;
  const store = createLeaseStore(db, hubInstanceId);
  const passedMs = createPassingTime({ clock, monotonicMs });
  const seeker = createLeaseSeeker({ store, bus, clock });
  const held = new Set<OwnLease>();
  const holds = new Set<AsyncDisposable>();

  return {
    get heldCount() {
      return held.size;
    },

    take: (name, { ttlMs = defaultTtlMs } = {}) => take(name, ttlMs),

    hold(name, hold) {
      const end = new AbortController();
      const working = holdForEver(name, hold, end.signal);
      const holding: AsyncDisposable = {
        async [Symbol.asyncDispose]() {
          holds.delete(holding);
          end.abort();
          await working;
        },
      };
      holds.add(holding);
      return holding;
    },

    async [Symbol.asyncDispose]() {
      await Promise.all([...holds].map((each) => each[Symbol.asyncDispose]()));
      await Promise.all([...held].map((each) => each.release()));
      seeker[Symbol.dispose]();
    },
  };

  async function take(name: string, ttlMs: number): Promise<OwnLease | undefined> {
    const askedMs = passedMs();
    const fence = await store.take(name, ttlMs);
    if (fence === undefined) return undefined;
    const key = { name, fence };
    // The answer came so late that others may have it.
    if (passedMs() - askedMs >= ownShareOf(ttlMs)) {
      await store.release(key).catch(() => undefined);
      return undefined;
    }
    const lease: OwnLease = keepLease({
      key,
      store,
      ttlMs,
      askedMs,
      passedMs,
      clock,
      onEnd(how) {
        held.delete(lease);
        if (how === "lost") log.warn({ lease: name, fence: String(fence) }, "this hub lost a lease");
      },
      onFree: () => bus.hint(leaseTopic, name),
    });
    held.add(lease);
    return lease;
  }

  async function holdForEver(
    name: string,
    { work, ttlMs = defaultTtlMs }: HoldOptions,
    end: AbortSignal,
  ): Promise<void> {
    const backoff = new Backoff({ baseMs: firstRetryMs, maxMs: lastRetryMs });
    while (!end.aborted) {
      const lease = await take(name, ttlMs).catch(() => undefined); // that the store is away is said elsewhere
      if (lease === undefined) {
        await seeker.untilFree(name, end).catch(() => undefined);
        continue;
      }
      log.info({ lease: name, fence: String(lease.fence) }, "this hub holds a lease");
      const outcome = await workWhileHeld(lease, work, end);
      if (outcome === "lost") continue;
      if (outcome === "done") backoff.reset();
      await sleep(pauseMs + backoff.nextMs(), { clock, signal: end }).catch(() => undefined);
    }
  }

  async function workWhileHeld(
    lease: OwnLease,
    work: HoldOptions["work"],
    end: AbortSignal,
  ): Promise<"done" | "failed" | "lost"> {
    using _ending = onAbort(end, () => lease.stop());
    let outcome: "done" | "failed" = "done";
    try {
      await work(lease);
    } catch (error) {
      outcome = "failed";
      // Work that stops because it was told to has not failed.
      if (lease.isHeld && !end.aborted)
        log.error({ lease: lease.name, err: error }, "work under a lease failed; it begins again");
    }
    if (!lease.isHeld) return "lost";
    await lease.release();
    return outcome;
  }
}

/** A hub that was killed holds things up for that long, and a database may be away for half of it. */
const defaultTtlMs = 15_000;
/** Until work that came to its end begins again. */
const pauseMs = 1_000;
const firstRetryMs = 1_000;
const lastRetryMs = 30_000;
