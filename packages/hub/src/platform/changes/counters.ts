// The counters in the database.
import { CompiledQuery, type Kysely, sql } from "kysely";
import type { Tables } from "../store/index.ts";
import type { Topic } from "./topics.ts";

/** As text; undefined before the first time. */
export type CounterValue = string | undefined;

export async function raiseCounters(trx: Kysely<Tables>, topics: readonly Topic[]): Promise<void> {
  await trx.executeQuery(CompiledQuery.raw(raiseCountersSql, [topics]));
}

/**
 * Takes an array of topics. Rows are locked in the order of their names, so that nobody waits for each other in a circle.
 * A value is the time in microseconds where that is more than one up: a database that was restored from a backup then
 * never comes upon a value that a hub saw before, however much happens until that hub looks again. The server ends the
 * transaction of a hub that stands still in the middle, since it holds up all others that raise the topic.
 */
export const raiseCountersSql: string = `
  insert into change_counter as counter (topic, value)
  select topic, (extract(epoch from clock_timestamp()) * 1000000)::bigint
  from unnest($1::text[]) as topic group by topic order by topic collate "C"
  on conflict (topic) do update
  set value = greatest(counter.value + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
  returning set_config('idle_in_transaction_session_timeout', '10s', true)`;

export async function readCounters(
  db: Kysely<Tables>,
  topics: readonly Topic[],
): Promise<ReadonlyMap<string, CounterValue>> {
  const { rows } = await sql<{ topic: string; value: string }>`
    select topic, value::text as value from change_counter where topic = any(${topics}::text[])
  `.execute(db);
  return new Map(rows.map(({ topic, value }) => [topic, value]));
}
