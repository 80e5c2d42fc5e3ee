// Where several hubs share the database, a cluster's rows are written under the fence of its newest report. A hub that
// was stopped for a while and wakes writes nothing: in the same statement the database says whose fences still hold.
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

export interface Guard {
  /** By cluster. */
  readonly fences: ReadonlyMap<string, number>;
  /** Filled by each write: others report these clusters now, and nothing of theirs was written. */
  readonly lost: Set<string>;
}

export function createGuard(fences: Iterable<readonly [cluster: string, fence: number]>): Guard {
  return { fences: new Map(fences), lost: new Set() };
}

/** Alone, or under the guard where others write, too. `isHeld` says of a cluster that it may be written. */
export async function write<Row extends object>(
  db: Kysely<Tables>,
  guard: Guard | undefined,
  statement: (
    writer: RawBuilder<unknown>,
    isHeld: (cluster: RawBuilder<unknown>) => RawBuilder<unknown>,
  ) => RawBuilder<unknown>,
): Promise<Row[]> {
  if (!guard) {
    const alone = statement(sql`one_writer`, () => sql`true`);
    return (await sql<Row>`with ${oneWriter} ${alone}`.execute(db)).rows;
  }
  const guarded = statement(sql`held`, (cluster) => sql`held.cluster = ${cluster}`);
  const { rows } = await sql<Row & { readonly held: string; readonly uid: string | null }>`
    with ${findHeld(guard)}, written as (${guarded}),
      raised as (${raiseTopic("inventory", sql`select from written limit 1`)})
    select held.cluster as held, written.* from held left join written on written.cluster = held.cluster
  `.execute(db);
  noteLost(
    guard,
    rows.map(({ held }) => held),
  );
  return rows.filter(({ uid }) => uid !== null);
}

/** Like `write`, for statements that give out no revisions. `held` is a condition that follows others. */
export async function writeUnder(
  db: Kysely<Tables>,
  guard: Guard | undefined,
  statement: (held: (cluster: RawBuilder<unknown>) => RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<void> {
  if (!guard) {
    await statement(() => sql``).execute(db);
    return;
  }
  const guarded = statement((cluster) => sql`and exists (select from held where held.cluster = ${cluster})`);
  const { rows } = await sql<{ held: string }>`
    with ${findHeld(guard)}, written as (${guarded}) select cluster as held from held
  `.execute(db);
  noteLost(
    guard,
    rows.map(({ held }) => held),
  );
}

/** The hub whose turn it is never waits for a row: the hub that locks it may be stopped. */
export function unlocked(guard: Guard | undefined): RawBuilder<unknown> {
  return guard ? sql`skip locked` : sql``;
}

/** As the first part of a statement: it waits for its turn to give out revisions, then looks which fences hold. */
function findHeld({ fences }: Guard): RawBuilder<unknown> {
  return sql`held as materialized (
    select * from inventory_held(${[...fences.keys()]}::text[], ${[...fences.values()]}::bigint[]) as h (cluster)
  )`;
}

function noteLost({ fences, lost }: Guard, held: Iterable<string>): void {
  const kept = new Set(held);
  for (const cluster of fences.keys()) if (!kept.has(cluster)) lost.add(cluster);
}

/**
 * Raises a counter that other hubs follow, in the statement that changes something: one of several statements would be held
 * up by a hub that is stopped between them. `when` gives a row if there is something to tell of. See platform/changes for
 * why it is a time.
 */
export function raiseTopic(topic: "inventory" | "inventory-reports", when: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into change_counter as counter (topic, value) select ${topic}::text, ${nowMicros} from (${when}) as reason
    on conflict (topic) do update set value = greatest(counter.value + 1, ${nowMicros})
    returning value
  `;
}

export const nowMicros: RawBuilder<number> = sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;

/**
 * Revisions are given out in the order in which they are committed: whoever reads on from a revision never passes one that
 * comes later. A hub's own writes come one after the other, but other hubs write too, and a write whose connection broke
 * may go on in the server while it is made again. The lock lasts until the commit; it is joined to the rows, so it is had
 * before the first of their revisions is. Its number is "inventor" in ASCII.
 */
export const oneWriter: RawBuilder<unknown> = sql`
  one_writer as materialized (select pg_advisory_xact_lock(7597139799437504370))
`;
