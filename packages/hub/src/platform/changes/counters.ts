// The counters in the database.
import { CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../store/index.ts";
import type { Topic } from "./topics.ts";

/** As text; undefined before the first time. */
export type CounterValue = string | undefined;

/** Where the values were read. */
export interface DatabasePlace {
  /** Another one after a standby took over, or tables were made again. Undefined: the server doesn't say now. */
  readonly history: string | undefined;
  /** Another one after each start of the server. */
  readonly server: string;
}

export async function raiseCounters(trx: Kysely<Tables>, topics: readonly Topic[]): Promise<void> {
  await trx.executeQuery(CompiledQuery.raw(raiseCountersSql, [topics]));
}

/**
 * Takes an array of topics. Rows are locked in the order of their names, so that nobody waits for each other in a circle.
 * A value is the time in microseconds where that is more than one up: a database that was restored from a backup then
 * never comes upon a value that a hub saw before, however much happens until that hub looks again. The server ends the
 * transaction of a hub that stands still in the middle, since it holds up all others that raise the topic.
 */
const raiseCountersSql = `
  insert into change_counter as counter (topic, value)
  select topic, (extract(epoch from clock_timestamp()) * 1000000)::bigint
  from unnest($1::text[]) as topic group by topic order by topic collate "C"
  on conflict (topic) do update
  set value = greatest(counter.value + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
  returning set_config('idle_in_transaction_session_timeout', '10s', true)`;

/** All topics that are asked for are among the values. `mark` is what `chooseHistory` gave. */
export async function readCounters(
  db: Kysely<Tables>,
  topics: readonly Topic[],
  mark: RawBuilder<string>,
): Promise<DatabasePlace & { readonly values: ReadonlyMap<string, CounterValue> }> {
  // All in one statement: on another connection another server might answer.
  const { rows } = await sql<{ topic: string; value: string | null; history: string | null; server: string }>`
    select asked.topic, counter.value::text as value,
      (select case when not pg_is_in_recovery() then ${mark} end) as history,
      (select extract(epoch from pg_postmaster_start_time())::text) as server
    from unnest(${topics}::text[]) as asked (topic) left join change_counter as counter on counter.topic = asked.topic
  `.execute(db);
  const [{ history = null, server = "" } = {}] = rows;
  return {
    history: history ?? undefined,
    server,
    values: new Map(rows.map(({ topic, value }) => [topic, value ?? undefined])),
  };
}
