import { readFileSync } from "node:fs";

/** CPU time that a process has used, user and system, in milliseconds (Linux, where a tick is a hundredth of a second). */
export function readCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name before may have spaces in it. Fields 14 and 15 of proc(5).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
