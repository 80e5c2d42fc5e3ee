// A process that writes rows for as long as it holds a lease, each in a transaction that the lease guards. Its argument is
// the way to the database, as JSON.
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "@fairlead/kernel";
import { sql } from "kysely";
import { createMemoryAdapter, openBus } from "../bus/index.ts";
import { openConnections } from "../store/connections.ts";
import { createLogger } from "../telemetry/index.ts";
import { openLeases } from "./leases.ts";

const [, , connection = "{}"] = process.argv;
const { own: db } = openConnections({ connection: JSON.parse(connection) as object, shares: { own: 4, asked: 1 } });
const log = createLogger({ level: "silent", name: "test" });
const hub = { hubInstanceId: `process ${process.pid}`, clock: systemClock, log };
const bus = await openBus({ ...hub, adapter: createMemoryAdapter() });
openLeases({ ...hub, db, bus }).hold("sweep", {
  ttlMs: 2_000,
  async work(lease) {
    while (!lease.signal.aborted) {
      await db.transaction().execute(async (trx) => {
        await lease.guard(trx);
        await sql`insert into entry (fence) values (${String(lease.fence)})`.execute(trx);
      });
      await sleep(10);
    }
  },
});
// The process ends with the one that started it.
process.stdin.resume().once("end", () => process.exit());
