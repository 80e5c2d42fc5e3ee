import { readFileSync } from "node:fs";

/** CPU time that a process has used, user and system, in milliseconds (Linux, where a tick is a hundredth of a second). */
export function readCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name before may have spaces in it. Fields 14 and 15 of proc(5).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Process ids by the names that the processes have in a table. */
export type Processes = Readonly<Record<string, number>>;

/** CPU time that processes use from now on. */
export class CpuMeter {
  readonly #before: ReadonlyMap<string, number>;
  readonly #processes: Processes;

  constructor(processes: Processes) {
    this.#processes = processes;
    this.#before = new Map(Object.entries(processes).map(([name, pid]) => [name, readCpuMs(pid)]));
  }

  /** Milliseconds of each process for each of so many requests. */
  readPerRequest(requests: number): Record<string, number> {
    const usedMs = ([name, pid]: [string, number]) => readCpuMs(pid) - (this.#before.get(name) ?? 0);
    return Object.fromEntries(Object.entries(this.#processes).map((one) => [one[0], usedMs(one) / requests]));
  }
}
