import { readFileSync } from "node:fs";

/** Resident memory of a process in MiB (Linux). */
export function readResidentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}
