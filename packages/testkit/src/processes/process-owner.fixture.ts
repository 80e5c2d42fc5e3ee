// Starts a process, tells it and its leash on stdout, and waits to be killed.
import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startProcess } from "./start-process.ts";

const stateDir = await mkdtemp(join(tmpdir(), "process-owner-"));
const sleep = await startProcess({ name: "sleep", command: "sleep", args: ["600"], logFile: join(stateDir, "log") });
const leash = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${sleep.pid}/status`, "utf8"))?.[1];
process.stdout.write(`${JSON.stringify({ pids: { sleep: sleep.pid, leash: Number(leash) }, stateDir })}\n`);
await delay(600_000);
