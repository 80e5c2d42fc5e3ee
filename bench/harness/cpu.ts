import { readdirSync, readFileSync } from "node:fs";

/** CPU time that a process has used, user and system, in milliseconds (Linux, where a tick is a hundredth of a second). */
export function readCpuMs(pid: number): number {
  const fields = readStat(pid);
  return (Number(fields[utime]) + Number(fields[stime])) * 10;
}

/** The same with that of its children, those that have ended included. */
export function readFamilyCpuMs(pid: number): number {
  const fields = readStat(pid);
  const ended = (Number(fields[utimeOfEnded]) + Number(fields[stimeOfEnded])) * 10;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, name) => sum + readIfChild(Number(name), pid), readCpuMs(pid) + ended);
}

export function readParent(pid: number): number {
  return Number(readStat(pid)[parent]);
}

function readIfChild(pid: number, of: number): number {
  try {
    return readParent(pid) === of ? readCpuMs(pid) : 0;
  } catch {
    return 0; // It has just ended.
  }
}

/** Fields from the third one on of proc(5); the name before may have spaces in it. */
function readStat(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

const [parent, utime, stime, utimeOfEnded, stimeOfEnded] = [1, 11, 12, 13, 14];

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
