import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Resident memory of a process, in bytes (Linux). */
export function readResidentBytes(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(match?.[1] ?? 0) * 1024;
}

/** Proportional set size, in bytes (Linux): memory that processes share counts once over all of them. */
export function readOwnBytes(pid: number): number {
  const match = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
  return Number(match?.[1] ?? 0) * 1024;
}

/** The same of all processes that work in a folder, as PostgreSQL's do in its data folder. */
export function readOwnBytesIn(folder: string): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && worksIn(name, folder));
  return pids.reduce((sum, pid) => sum + readOwnBytes(Number(pid)), 0);
}

function worksIn(pid: string, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${folder}/`);
  } catch {
    return false;
  }
}

/** Samples a process's resident memory until stopped; answers the highest figure seen. */
export function watchResidentBytes(pid: number, everyMs = 50): { stop(): number } {
  let peak = readResidentBytes(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, readResidentBytes(pid));
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return Math.max(peak, readResidentBytes(pid));
    },
  };
}
