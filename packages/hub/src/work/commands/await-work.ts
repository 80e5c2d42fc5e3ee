// Tells waiting agents that there may be work. This is only a hint: one look at the database now and then finds missed
// work, for all agents of this hub together.
import { type Clock, onAbort, repeat } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { CallingAgent } from "../../reach/links/index.ts";
import { requireExecuting } from "./agent-calls.ts";
import { claimableStates, heldStates } from "./claims.ts";
import { commandErrors } from "./errors.ts";
import type { NewsDesk } from "./news.ts";

export interface AwaitedWork {
  readonly queued: boolean;
  readonly changedCommands: string[];
}

export interface WorkWaiters extends Disposable {
  /** Says at once that there may be work, then whenever something may be for the agent, until the signal aborts. */
  wait(agent: CallingAgent, signal: AbortSignal): AsyncGenerator<AwaitedWork>;
}

export function createWorkWaiters(options: {
  readonly db: Kysely<Tables>;
  readonly news: NewsDesk;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}): WorkWaiters {
  const { db, news, clock, onError } = options;
  const waiters = new Set<Waiter>();
  const stop = new AbortController();
  const hearing = news.listen((told) => {
    if (told.is === "grown") return;
    for (const waiter of waiters) {
      if (told.is === "anything") waiter.queued();
      else if (waiter.cluster === told.cluster && told.is === "queued") waiter.queued();
      else if (waiter.cluster === told.cluster && told.is === "changed") waiter.changed(told.id);
    }
  });
  const looking = repeat({ clock, intervalMs: lookMs, run: look, onError });

  return {
    async *wait(agent, signal) {
      const { cluster } = requireExecuting(agent);
      if (stop.signal.aborted) throw commandErrors.COMMAND_HUB_STOPPING();
      const waiter = createWaiter(cluster);
      waiters.add(waiter);
      using _ending = onAbort(signal, () => waiter.end());
      using _stopping = onAbort(stop.signal, () => waiter.end());
      try {
        waiter.queued();
        for (;;) {
          const work = await waiter.next();
          if (work === undefined) break;
          yield work;
        }
      } finally {
        waiters.delete(waiter);
      }
    },
    [Symbol.dispose]() {
      stop.abort();
      hearing[Symbol.dispose]();
      looking[Symbol.dispose]();
    },
  };

  async function look(): Promise<void> {
    const clusters = [...new Set([...waiters].map(({ cluster }) => cluster))];
    if (clusters.length === 0) return;
    const { rows } = await sql<{ cluster: string; changed: string | null }>`
      select cluster, case when state not in ${claimableStates} then id end as changed from command
      where cluster = any (${clusters}::text[]) and finished_at is null
        and (state in ${claimableStates} or (cancellation is not null and state in ${heldStates}))
      group by cluster, changed
    `.execute(db);
    for (const { cluster, changed } of rows) {
      for (const waiter of waiters) {
        if (waiter.cluster !== cluster) continue;
        if (changed === null) waiter.queued();
        else waiter.changed(changed);
      }
    }
  }
}

interface Waiter {
  readonly cluster: string;
  queued(): void;
  changed(id: string): void;
  end(): void;
  /** Undefined at its end. Work that comes before it is called comes as one. */
  next(): Promise<AwaitedWork | undefined>;
}

function createWaiter(cluster: string): Waiter {
  const changed = new Set<string>();
  let isQueued = false;
  let isOver = false;
  let wake: () => void = () => undefined;
  return {
    cluster,
    queued() {
      isQueued = true;
      wake();
    },
    changed(id) {
      changed.add(id);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    async next() {
      while (!isOver && !isQueued && changed.size === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (isOver) return undefined;
      const work = { queued: isQueued, changedCommands: [...changed] };
      isQueued = false;
      changed.clear();
      return work;
    },
  };
}

const lookMs = 5_000;
