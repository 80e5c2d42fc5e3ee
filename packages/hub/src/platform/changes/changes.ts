// A hub sees what others have changed by counters in the database, which are the truth, and by hints over the bus, which
// only make it look sooner.
import type { Clock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Bus } from "../bus/index.ts";
import { isStoreFailure, type Tables } from "../store/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { raiseCounters, readCounters } from "./counters.ts";
import { firstEra, nextEra } from "./era.ts";
import { createFollower, type Follower } from "./follower.ts";
import { chooseHistory } from "./history.ts";
import { createLooks } from "./looks.ts";
import type { Topic } from "./topics.ts";
import type { Changes, Topics } from "./types.ts";

export function openChanges(options: {
  readonly db: Kysely<Tables>;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Logger;
  /** From one look to the next when nobody hints. */
  readonly lookMs?: number | undefined;
}): Changes {
  const { db, bus, clock, log, lookMs = 1_000 } = options;
  const followers = new Set<Follower>();
  const counters = {
    looks: 0,
    failedLooks: 0,
    wentBack: 0,
    rereads: new Map<Topic, number>(),
    failedRereads: new Map<Topic, number>(),
  };
  let isFailing = false;
  let era = firstEra;
  let mark: Awaited<ReturnType<typeof chooseHistory>> | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  const looks = createLooks({ clock, everyMs: lookMs, look });
  const hearing = bus.onHint((hint) => {
    if (hint.kind === "everything" || isFollowed(hint.topic)) lookSoon();
  });

  return {
    counters,
    get era() {
      return era.number;
    },

    async commit(topics, work) {
      const result = await db.transaction().execute(async (trx) => {
        const done = await work(trx);
        await raiseCounters(trx, toList(topics));
        return done;
      });
      for (const topic of toList(topics)) hint(topic);
      return result;
    },

    raise: (trx, topics) => raiseCounters(trx, toList(topics)),
    hint,

    follow(topic, reread) {
      const follower = createFollower({
        topic,
        reread,
        clock,
        log,
        onRead(outcome) {
          const counts = outcome === "read" ? counters.rereads : counters.failedRereads;
          counts.set(topic, (counts.get(topic) ?? 0) + 1);
        },
      });
      followers.add(follower);
      looks.within(0);
      return {
        async [Symbol.asyncDispose]() {
          followers.delete(follower);
          await follower[Symbol.asyncDispose]();
        },
      };
    },

    async settled(signal) {
      const waiting = [...followers];
      if (waiting.length === 0) return;
      const number = await looks.fresh(signal);
      await Promise.all(waiting.map((follower) => follower.covered(number, signal)));
    },

    async [Symbol.asyncDispose]() {
      hearing[Symbol.dispose]();
      looks[Symbol.dispose]();
      await Promise.all([...followers].map((follower) => follower[Symbol.asyncDispose]()));
      followers.clear();
    },
  };

  function hint(topic: Topic): void {
    if (isFollowed(topic)) lookSoon();
    bus.hint(topic);
  }

  function isFollowed(topic: string): boolean {
    return [...followers].some((follower) => follower.topic === topic);
  }

  /** At once, but however many hints there are, not again and again. */
  function lookSoon(): void {
    looks.within(Math.min(hintPauseMs, Math.max(0, lookedAtMs + hintPauseMs - clock.steadyMs())));
  }

  /** All that is followed has another value then, and is read again. */
  function enter(next: ReturnType<typeof nextEra>): void {
    const before = era;
    ({ era } = next);
    if (next.change !== "went-back") return;
    counters.wentBack += 1;
    log.error(
      { before: before.place, now: era.place },
      "ALARM: the database went back to an older state, as when a standby takes over that lacks the newest commits, or after a restore; everything is read again",
    );
  }

  async function look(number: number): Promise<boolean> {
    const asking = [...followers];
    if (asking.length === 0) return true;
    lookedAtMs = clock.steadyMs();
    counters.looks += 1;
    try {
      mark ??= await chooseHistory(db);
      const seen = await readCounters(db, [...new Set(asking.map(({ topic }) => topic))], mark);
      isFailing = false;
      enter(nextEra(era, seen));
      for (const { topic, looked } of asking)
        looked({ number, value: `${era.number}/${seen.values.get(topic) ?? ""}` });
      return true;
    } catch (error) {
      counters.failedLooks += 1;
      // Another place says that the store is away.
      if (!isFailing && !isStoreFailure(error)) log.error({ err: error }, "the counters of changes can't be read");
      isFailing = true;
      return false;
    }
  }
}

function toList(topics: Topics): readonly Topic[] {
  return typeof topics === "string" ? [topics] : topics;
}

const hintPauseMs = 25;
