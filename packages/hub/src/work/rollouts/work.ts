// One hub at a time takes rollouts further, in turn, whenever something happened to them. That only one does it saves work:
// what is written is right whoever does it, since each step holds the rollout's row.
import { type Clock, onAbort, repeat } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { Leases } from "../../platform/leases/index.ts";
import { isStoreFailure, type Tables } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { Advance } from "./advance.ts";
import type { RolloutNews } from "./news.ts";

export function startRolloutWork(options: {
  readonly db: Kysely<Tables>;
  readonly advance: Advance;
  readonly forget: () => Promise<void>;
  readonly news: RolloutNews;
  readonly leases: Pick<Leases, "hold">;
  readonly clock: Clock;
  readonly log: Logger;
  /** From the end of another hub until this one may do it. */
  readonly leaseMs?: number | undefined;
}): AsyncDisposable {
  const { db, advance, forget, news, leases, clock, log, leaseMs: ttlMs } = options;
  return leases.hold("rollouts", { work: ({ signal }) => work(signal), ...(ttlMs === undefined ? {} : { ttlMs }) });

  async function work(signal: AbortSignal): Promise<void> {
    const due = new Set<string>();
    let isLookDue = true;
    let forgotMs = clock.now();
    let wake: () => void = () => undefined;
    const look = (): void => {
      isLookDue = true;
      wake();
    };
    using _hearing = news.listen((id) => {
      if (id === undefined) return look();
      due.add(id);
      wake();
    });
    using _looking = repeat({ clock, intervalMs: lookMs, run: look, onError });
    using _ending = onAbort(signal, () => wake());
    while (!signal.aborted) {
      const [id] = due;
      if (isLookDue) {
        isLookDue = false;
        for (const one of await listDue().catch(onFailure)) due.add(one);
        if (clock.now() - forgotMs < forgetEveryMs) continue;
        forgotMs = clock.now();
        await forget().catch(onError);
      } else if (id !== undefined) {
        due.delete(id);
        // Behind the others.
        if ((await advance(id, signal).catch(onError)) === "more") due.add(id);
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }

  function onFailure(error: unknown): string[] {
    onError(error);
    return [];
  }

  function onError(error: unknown): undefined {
    // That the store is away is said elsewhere. The next look tries again.
    if (!isStoreFailure(error)) log.warn({ err: error }, "a rollout couldn't be taken further");
  }

  async function listDue(): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      select id from rollout
      where finished_at is null and (state <> 'paused' or running > 0 or resume_at <= clock_timestamp()) order by number
    `.execute(db);
    return rows.map(({ id }) => id);
  }
}

const lookMs = 5_000;
const forgetEveryMs = 5 * 60_000;
