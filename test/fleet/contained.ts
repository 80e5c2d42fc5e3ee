// The processes of a container that run-image.ts started: those with the same numbers as its first one.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

export interface Contained {
  /** On this machine. */
  readonly pid: number;
  /** Content of /proc/PID/status. */
  readonly status: string;
  /** Empty for a dead one that nobody has asked after. */
  readonly program: string;
}

export function listContained(first: number): readonly Contained[] {
  const numbers = readlinkSync(`/proc/${first}/ns/pid`);
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      if (readlinkSync(`/proc/${name}/ns/pid`) !== numbers) return [];
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      return [{ pid: Number(name), status, program: basename(readProgram(name)) }];
    } catch {
      return []; // it ended
    }
  });
}

function readProgram(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return "";
  }
}

export function field(status: string, name: string): string {
  return new RegExp(`^${name}:\\s+(.+)$`, "m").exec(status)?.[1] ?? "";
}
