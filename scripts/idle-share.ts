// How much of a run the processors had nothing to do: more tests at once make it shorter only then.
import { readFileSync } from "node:fs";

interface Ticks {
  readonly idle: number;
  readonly all: number;
}

export interface IdleShare {
  /** Of the time up to now, between 0 and 1; undefined where the machine doesn't tell. */
  read(): number | undefined;
}

export function openIdleShare(): IdleShare {
  const before = readTicks();
  return {
    read() {
      const now = readTicks();
      if (before === undefined || now === undefined || now.all === before.all) return undefined;
      return (now.idle - before.idle) / (now.all - before.all);
    },
  };
}

/** The first line of proc(5)'s `stat`: user, nice, system, idle, iowait, irq, softirq, steal. */
function readTicks(): Ticks | undefined {
  if (process.platform !== "linux") return undefined;
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const [, ...fields] = line.split(/\s+/);
  const ticks = fields.slice(0, 8).map(Number);
  const [, , , idle = 0, wait = 0] = ticks;
  return { idle: idle + wait, all: ticks.reduce((sum, each) => sum + each, 0) };
}
