// Starts a cluster, tells its processes on stdout, and waits to be killed.

import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster } from "../cluster/index.ts";

const cluster = await startCluster({ name: "doomed" });
const pids = Object.entries(cluster.components).map(([name, { pid }]) => [name, pid]);
const leash = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${cluster.apiServer.pid}/status`, "utf8"))?.[1];
const report = { pids: Object.fromEntries([...pids, ["leash", Number(leash)]]), stateDir: cluster.stateDir };
process.stdout.write(`${JSON.stringify(report)}\n`);
await delay(600_000);
