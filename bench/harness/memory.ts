import { readFileSync } from "node:fs";

/** Resident memory of a process, in bytes (Linux). */
export function readResidentBytes(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(match?.[1] ?? 0) * 1024;
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
