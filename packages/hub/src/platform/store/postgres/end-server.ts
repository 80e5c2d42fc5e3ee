// Ends servers, and processes that servers left behind.
import { readdir, readFile, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
// Unlike the kernel's `sleep` this one keeps the process alive.
import { setTimeout as sleep } from "node:timers/promises";
import { isProcessAlive, markProcess, type ProcessMark } from "../folder/process-mark.ts";
import { findServer } from "./pid-file.ts";

/** Fast shutdown: no new clients, transactions rolled back, a checkpoint. Less and less gently when that takes too long. */
export async function endServer(server: ProcessMark): Promise<void> {
  for (const [signal, patienceMs] of steps) {
    if (!(await isProcessAlive(server))) return;
    send(server.pid, signal);
    send(server.pid, "SIGCONT"); // a process that was stopped by a signal handles no other
    if (await isGone(server, patienceMs)) return;
  }
}

/** Ends whatever server runs on a data folder of any version in there, or on one that is being made. */
export async function endServerOn(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    if (!/^\d+(?:\.copy)?(?:\.new)?$/.test(name)) continue;
    const server = await findServer(join(root, name));
    if (server !== undefined) await endServer(server);
    await endOrphans(join(root, name));
  }
}

/**
 * Kills the processes that a killed server has left. Its backends end when they next wait for something; until then they
 * write to the data folder, which a new server mustn't see.
 */
export async function endOrphans(dataFolder: string): Promise<void> {
  if (process.platform !== "linux") return;
  const orphans = await findOrphans(await realpath(dataFolder));
  for (const { pid } of orphans) send(pid, "SIGKILL");
  for (const orphan of orphans) await isGone(orphan, killMs);
}

/** Every process of PostgreSQL works in its data folder. */
async function findOrphans(dataFolder: string): Promise<ProcessMark[]> {
  const found: ProcessMark[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const folder = await readlink(`/proc/${name}/cwd`).catch(() => "");
    if (folder !== dataFolder) continue;
    const program = await readFile(`/proc/${name}/comm`, "utf8").catch(() => "");
    const mark = program.startsWith("postgres") ? await markProcess(Number(name)) : undefined;
    if (mark !== undefined) found.push(mark);
  }
  return found;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function isGone(server: ProcessMark, timeoutMs: number): Promise<boolean> {
  for (const untilMs = performance.now() + timeoutMs; performance.now() < untilMs; await sleep(pollMs)) {
    if (!(await isProcessAlive(server))) return true;
  }
  return false;
}

const pollMs = 20;
const killMs = 5_000;
/** A server that is asked to quit kills its own remaining processes after five seconds. */
const steps = [
  ["SIGINT", 20_000],
  ["SIGQUIT", 8_000],
  ["SIGKILL", killMs],
] as const;
