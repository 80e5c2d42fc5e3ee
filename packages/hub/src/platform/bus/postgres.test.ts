// LISTEN and NOTIFY of a real server.
import { systemClock } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import { sql } from "kysely";
import type { ClientConfig } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import type { Store } from "../store/index.ts";
import { openMemoryStore } from "../store/memory-store.fixture.ts";
import { createLogger } from "../telemetry/index.ts";
import { openBus } from "./bus.ts";
import { createPostgresAdapter, type PostgresAdapterOptions } from "./postgres.ts";
import type { Bus, Hint } from "./types.ts";

let store: Store;
let connection: ClientConfig;
beforeEach(async () => {
  store = await openMemoryStore();
  const { rows } = await sql<{ database: string }>`select current_database() as database`.execute(store.db);
  connection = { ...inject("postgres"), ...rows[0] };
});
afterEach(() => store[Symbol.asyncDispose]());

describe("a bus by the database", () => {
  it("tells other hubs, and not the one that hints", async () => {
    await using first = await open("hub_1");
    await using second = await open("hub_2");
    expect([first.bus.state.kind, second.bus.state.kind]).toEqual(["up", "up"]);
    first.bus.hint("links", `east "quoted" 'and' \\ so on`);
    await expect
      .poll(() => second.heard)
      .toEqual([{ kind: "topic", topic: "links", details: [`east "quoted" 'and' \\ so on`] }]);
    expect(first.heard).toEqual([]);
  });

  it("makes a few messages of 5,000 hints, each of which PostgreSQL takes", async () => {
    await using first = await open("hub_1");
    await using second = await open("hub_2");
    const startedMs = performance.now();
    for (let index = 0; index < 5_000; index += 1) {
      first.bus.hint("links", `${"cluster-with-a-long-name-".repeat(4)}${index}`);
      if (index % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    first.bus.hint("last");
    await expect
      .poll(() => second.heard.some((hint) => hint.kind === "everything" || hint.topic === "last"))
      .toBe(true);
    expect(first.bus.counters.failed).toBe(0);
    expect(first.bus.counters.sent).toBeLessThanOrEqual(2 + (performance.now() - startedMs) / 50);
  });

  it("listens again when the server ends its connection, and looks at everything then", async () => {
    await using first = await open("hub_1");
    await using second = await open("hub_2");
    for (let round = 1; round <= 3; round += 1) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'fairlead-hub bus'`.execute(store.db);
      for (const { heard } of [first, second])
        await until(
          () => heard.filter(({ kind }) => kind === "everything").length === round,
          "everything is looked at",
        );
    }
    first.bus.hint("access");
    await expect.poll(() => second.heard.at(-1)).toEqual({ kind: "topic", topic: "access", details: undefined });
  });

  it("that can't be reached is away, says so once, and still tells others", async () => {
    let isAway = true;
    const away: ClientConfig = { ...connection, host: "/nowhere" };
    await using first = await open("hub_1", { connection: async () => (isAway ? away : connection) });
    await using second = await open("hub_2");
    expect(first.bus.state).toMatchObject({
      kind: "away",
      error: { code: "BUS_AWAY", message: expect.stringContaining("ENOENT") },
    });
    second.bus.hint("links");
    first.bus.hint("access");
    await expect.poll(() => second.heard).toEqual([{ kind: "topic", topic: "access", details: undefined }]);
    isAway = false;
    await expect.poll(() => first.heard).toEqual([{ kind: "everything" }]);
    expect(first.bus.state).toEqual({ kind: "up" });
    expect(first.logged.map(({ level, err }) => [level, err?.code])).toEqual([
      ["warn", "BUS_AWAY"],
      ["info", undefined],
    ]);
  });

  it("that hears nothing is away, however well LISTEN seemed to work", async () => {
    // Another database has notifications of its own: as behind a pooler, LISTEN works and nothing comes.
    const elsewhere: ClientConfig = { ...connection, database: "postgres" };
    await using deaf = await open("hub_1", { connection: async () => elsewhere });
    expect(deaf.bus.state).toMatchObject({ kind: "away", error: { code: "BUS_DEAF" } });
    expect(deaf.logged).toHaveLength(1);
  });

  it("notices in silence that it hears nothing any more", async () => {
    await using elsewhere = await openMemoryStore();
    let isMute = false;
    // Notifications that go to another database are heard by nobody here.
    const db = new Proxy(store.db, {
      get(_, name) {
        const current = isMute ? elsewhere.db : store.db;
        const value: unknown = Reflect.get(current, name);
        return typeof value === "function" ? value.bind(current) : value;
      },
    });
    await using first = await open("hub_1", { db, silenceMs: 20 });
    await sql`select pg_sleep(0.2)`.execute(store.db);
    expect(first.bus.state).toEqual({ kind: "up" });
    isMute = true;
    await expect.poll(() => first.bus.state).toMatchObject({ kind: "away", error: { code: "BUS_DEAF" } });
    isMute = false;
    await expect.poll(() => first.heard).toEqual([{ kind: "everything" }]);
  });

  it("refuses an address that can never work at its start", async () => {
    const wrong = open("hub_1", { connection: () => Promise.reject(new Error("no address")) });
    await expect(wrong).rejects.toThrow("no address");
  });
});

interface Opened extends AsyncDisposable {
  readonly bus: Bus;
  readonly heard: readonly Hint[];
  readonly logged: readonly { readonly level: string; readonly err?: { readonly code: string } }[];
}

async function open(hubInstanceId: string, options: Partial<PostgresAdapterOptions> = {}): Promise<Opened> {
  const heard: Hint[] = [];
  const logged: { level: string; err?: { code: string } }[] = [];
  const log = createLogger({
    level: "info",
    name: "test",
    destination: { write: (line) => void logged.push(JSON.parse(line)) },
  });
  const adapter = createPostgresAdapter({
    db: store.db,
    connection: async () => connection,
    clock: systemClock,
    ...options,
  });
  const bus = await openBus({ adapter, hubInstanceId, clock: systemClock, log });
  bus.onHint((hint) => heard.push(hint));
  return { bus, heard, logged, [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose]() };
}
