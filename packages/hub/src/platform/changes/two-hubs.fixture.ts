// Two hubs on one database, with a bus between them that does as it is told, and a book that both write and follow.
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import { type Kysely, sql } from "kysely";
import { openBus } from "../bus/index.ts";
import type { Store, Tables } from "../store/index.ts";
import { openMemoryStore } from "../store/memory-store.fixture.ts";
import { createLogger } from "../telemetry/index.ts";
import { openChanges } from "./changes.ts";
import { createNastyHall, type NastyHall } from "./nasty-adapter.fixture.ts";
import type { Changes } from "./types.ts";

export interface TwoHubs extends AsyncDisposable {
  readonly store: Store;
  readonly clock: MovableClock;
  readonly hall: NastyHall;
  readonly hubs: readonly [Changes, Changes];
  readonly logged: readonly { readonly level: string; readonly msg: string }[];
}

export async function openTwoHubs(): Promise<TwoHubs> {
  const store = await openMemoryStore();
  const clock = createMovableClock();
  const hall = createNastyHall();
  const logged: { level: string; msg: string }[] = [];
  const log = createLogger({
    level: "info",
    name: "test",
    destination: { write: (line) => void logged.push(JSON.parse(line)) },
  });
  await sql`create table entry (id serial primary key, value bigint)`.execute(store.db);
  await using undo = new AsyncDisposableStack();
  undo.use(store);
  const open = async (hubInstanceId: string): Promise<Changes> => {
    const bus = undo.use(await openBus({ adapter: hall.adapter(), hubInstanceId, clock, log }));
    return undo.use(openChanges({ db: store.db, bus, clock, log }));
  };
  const hubs = [await open("hub_1"), await open("hub_2")] as const;
  const owned = undo.move();
  return { store, clock, hall, hubs, logged, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

export async function addEntry(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ id: number }>`insert into entry default values returning id`.execute(db);
  return rows[0]?.id ?? 0;
}

export async function countEntries({ db }: Pick<Store, "db">): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from entry`.execute(db);
  return rows[0]?.count ?? 0;
}
