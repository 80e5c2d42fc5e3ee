// postmaster.pid, as PostgreSQL keeps it in its data folder: pid, folder, start (seconds), port, socket folder, ...
import { readFile, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { markProcess, type ProcessMark } from "../folder/process-mark.ts";

/** The server that runs on this data folder; undefined when none does, whatever the file says. */
export async function findServer(dataFolder: string): Promise<ProcessMark | undefined> {
  const pid = await readPid(dataFolder);
  if (pid === undefined) return undefined;
  const mark = await markProcess(pid);
  if (mark === undefined) return undefined;
  return (await worksIn(pid, dataFolder)) ? mark : undefined;
}

export async function readPid(dataFolder: string): Promise<number | undefined> {
  const text = await readFile(pidFile(dataFolder), "utf8").catch(() => "");
  const pid = Number(text.split("\n")[0]);
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
}

export function pidFile(dataFolder: string): string {
  return join(dataFolder, "postmaster.pid");
}

/** Pids are used again: a server works in its data folder. Without /proc the file is believed. */
async function worksIn(pid: number, dataFolder: string): Promise<boolean> {
  if (process.platform !== "linux") return true;
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => "");
  return folder === (await realpath(dataFolder));
}
