// A hub's process that stands still while another one takes its work, and then goes on.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { systemClock } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import { scriptArgs } from "@fairlead/testkit";
import { sql } from "kysely";
import { expect, inject, it } from "vitest";
import { createMemoryAdapter, openBus } from "../bus/index.ts";
import type { Store } from "../store/index.ts";
import { openMemoryStore } from "../store/memory-store.fixture.ts";
import { createLogger } from "../telemetry/index.ts";
import { openLeases } from "./leases.ts";

it("writes nothing more with a lease that is another's by then", async () => {
  await using store = await openMemoryStore();
  await sql`create table entry (id serial primary key, fence bigint not null)`.execute(store.db);
  const { rows } = await sql<{ database: string }>`select current_database() as database`.execute(store.db);
  const connection = { ...inject("postgres"), ...rows[0] };
  const script = fileURLToPath(new URL("hold-lease.fixture.ts", import.meta.url));
  const child = spawn(process.execPath, [...scriptArgs(script), JSON.stringify(connection)], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  try {
    await until(async () => (await readFences(store)).length > 5, "it writes", { timeoutMs: 60_000 });
    const log = createLogger({ level: "silent", name: "test" });
    const hub = { hubInstanceId: "hub_2", clock: systemClock, log };
    await using bus = await openBus({ ...hub, adapter: createMemoryAdapter() });
    await using leases = openLeases({ ...hub, db: store.db, bus });
    for (let round = 0; round < 3; round += 1) {
      child.kill("SIGSTOP");
      let lease = await leases.take("sweep");
      while (lease === undefined) lease = await leases.take("sweep");
      const mine = lease;
      await store.db.transaction().execute(async (trx) => {
        await mine.guard(trx);
        await sql`insert into entry (fence) values (${String(mine.fence)})`.execute(trx);
      });
      child.kill("SIGCONT");
      await sql`select pg_sleep(0.5)`.execute(store.db);
      expect((await readFences(store)).at(-1)).toBe(Number(mine.fence));
      await lease.release();
      await until(
        async () => ((await readFences(store)).at(-1) ?? 0) > mine.fence,
        "it writes again with a lease of its own",
        {
          timeoutMs: 60_000,
        },
      );
    }
    const fences = await readFences(store);
    expect(fences).toEqual([...fences].sort((a, b) => a - b));
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});

async function readFences({ db }: Store): Promise<number[]> {
  const { rows } = await sql<{ fence: number }>`select fence from entry order by id`.execute(db);
  return rows.map(({ fence }) => fence);
}
