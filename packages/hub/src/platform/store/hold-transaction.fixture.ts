// A transaction that stays open while another connection runs into it.
import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "./tables.ts";

export interface HeldTransaction {
  commit(): Promise<void>;
}

/** Resolves when `work` is done and not committed. */
export async function holdTransaction(
  db: Kysely<Tables>,
  work: (trx: Transaction<Tables>) => Promise<unknown>,
): Promise<HeldTransaction> {
  const { promise: isDone, resolve: done, reject: failed } = Promise.withResolvers<void>();
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const ended = db.transaction().execute(async (trx) => {
    await work(trx);
    done();
    await mayEnd;
  });
  ended.catch(failed);
  await isDone;
  return {
    async commit() {
      end();
      await ended;
    },
  };
}

/** Resolves when connections to this database wait for locks of others, with statements whose first kilobyte has the text. */
export async function untilSomebodyWaits(db: Kysely<Tables>, atLeast = 1, saying = ""): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
        and position(${saying} in query) > 0
    `.execute(db);
    if ((rows[0]?.waiting ?? 0) >= atLeast) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
