// A hub in a process of its own whose database is in the process that started it: what this one holds is the hub's.
// Says where it listens, and whenever it is asked what it holds after a collection.
import { EventEmitter } from "node:events";
import { setTimeout } from "node:timers/promises";
import { tuneGarbageCollection } from "@fairlead/protocol";
import { Kysely } from "kysely";
import { readInvocation } from "./config/index.ts";
import { startHub } from "./hub.ts";
import type { Answer, Database } from "./store/database.ts";
import { migrate } from "./store/migrate.ts";
import { createPgliteDialect } from "./store/pglite-dialect.ts";
import type { Tables } from "./store/tables.ts";
import { createLogger } from "./telemetry/index.ts";

export type ToHub =
  | { readonly id: number; readonly answer?: Answer; readonly error?: string }
  | { readonly measure: true };
export type FromHub =
  | { readonly id: number; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly peopleUrl: string; readonly agentUrl: string; readonly caPem: string; readonly adminToken: string }
  | { readonly memory: NodeJS.MemoryUsage };

const answers = new EventEmitter().setMaxListeners(0);
let lastId = 0;

const database: Database = {
  isAlive: true,
  query(sql, parameters) {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      answers.once(String(id), ({ answer, error }: { answer?: Answer; error?: string }) => {
        if (answer) resolve(answer);
        else reject(new Error(error));
      });
      say({ id, sql, parameters });
    });
  },
  close: async () => undefined,
  drop: async () => undefined,
};

process.on("message", (message: ToHub) => {
  if ("id" in message) answers.emit(String(message.id), message);
  else void measure();
});
process.once("disconnect", () => process.exit());

// As the program does.
tuneGarbageCollection({ heapGrowingPercent: 200 });
const db = new Kysely<Tables>({ dialect: createPgliteDialect(async () => database) });
await migrate(db);
const invocation = readInvocation({ args: process.argv.slice(2), env: {} });
if (!("config" in invocation)) throw new Error("no configuration");
const hub = await startHub(invocation.config, {
  log: createLogger({ level: "info", name: "hub" }),
  store: { db, answered: 0, check: async () => undefined, [Symbol.asyncDispose]: () => db.destroy() },
});
const { peopleUrl, agentUrl, caPem, firstAdminToken = "" } = hub;
say({ peopleUrl, agentUrl, caPem, adminToken: firstAdminToken });

async function measure(): Promise<void> {
  // Twice, with a pause: the first frees what finalizers hold, the second what they let go of.
  for (let round = 0; round < 3; round++) {
    (globalThis as unknown as { gc(): void }).gc();
    await setTimeout(100);
  }
  say({ memory: process.memoryUsage() });
}

function say(message: FromHub): void {
  process.send?.(message);
}
