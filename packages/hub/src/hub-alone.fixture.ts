// A hub in a process of its own, with its database in others: what this one holds is the hub's. Says where it listens, and
// whenever it is asked what it holds after a collection.
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { tuneGarbageCollection } from "@fairlead/protocol";
import { startHub } from "./hub.ts";
import { readInvocation } from "./platform/config/index.ts";
import { createLogger } from "./platform/telemetry/index.ts";

export interface ToHub {
  readonly ask: "memory" | "end";
}
export type FromHub =
  | { readonly peopleUrl: string; readonly agentUrl: string; readonly caPem: string; readonly adminToken: string }
  | { readonly memory: NodeJS.MemoryUsage };

// As the program does.
tuneGarbageCollection({ heapGrowingPercent: 200 });
const invocation = readInvocation({ args: process.argv.slice(2), env: {} });
if (!("config" in invocation)) throw new Error("no configuration");
const hub = await startHub(invocation.config, { log: createLogger({ level: "info", name: "hub" }) });

process.on("message", ({ ask }: ToHub) => void (ask === "memory" ? measure() : end()));
process.once("disconnect", () => void end());
const { peopleUrl, agentUrl, caPem, firstAdminToken = "" } = hub;
say({ peopleUrl, agentUrl, caPem, adminToken: firstAdminToken });

async function end(): Promise<void> {
  await hub[Symbol.asyncDispose]();
  process.exit();
}

async function measure(): Promise<void> {
  // Not by a flag of the process: what is compiled ahead is for processes with the same flags only.
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // Twice, with a pause: the first frees what finalizers hold, the second what they let go of.
  for (let round = 0; round < 3; round++) {
    collect();
    await setTimeout(100);
  }
  say({ memory: process.memoryUsage() });
}

function say(message: FromHub): void {
  process.send?.(message);
}
