import { readFileSync } from "node:fs";

/** Resident memory of a process in MiB (Linux). */
export function readResidentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}

/** Its share of memory in MiB: what several processes hold is divided among them (Linux). */
export function readShareMiB(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1024;
}
