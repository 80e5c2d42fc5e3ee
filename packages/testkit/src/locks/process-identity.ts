import { readFileSync } from "node:fs";

/** A pid alone can be given to another process; with its start time it cannot. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot, as /proc tells it; empty where there is no /proc. */
  readonly startTime: string;
}

export const thisProcess: ProcessIdentity = { pid: process.pid, startTime: startTimeOf(process.pid) };

export function isAlive(identity: ProcessIdentity): boolean {
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return startTimeOf(identity.pid) === identity.startTime;
}

function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Field 22; the second, a name in parentheses, may hold spaces, so count from its end.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
