import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { median } from "./stats.ts";

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface CommandCost {
  /** CPU time of the command and of what it started and waited for, the mean of all rounds. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The largest resident size that was seen of the command itself. */
  readonly peakMib: number;
}

/** Runs a command again and again, alone. */
export async function measureCommand(line: CommandLine, rounds: number): Promise<CommandCost> {
  // Files are read, and compiled modules kept.
  for (let round = 0; round < 2; round += 1) await runOnce(line);
  const before = readEndedCpuMs();
  const runs: { readonly wallMs: number; readonly peakMib: number }[] = [];
  for (let round = 0; round < rounds; round += 1) runs.push(await runOnce(line));
  return {
    cpuMs: (readEndedCpuMs() - before) / rounds,
    wallMs: median(runs.map(({ wallMs }) => wallMs)),
    peakMib: median(runs.map(({ peakMib }) => peakMib)),
  };
}

/** Resolves when the command has ended; rejects where it fails. */
export async function runOnce({ command, args, env }: CommandLine): Promise<{ wallMs: number; peakMib: number }> {
  const startedAt = performance.now();
  const child = spawn(command, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const said = text(child.stderr);
  let peakMib = 0;
  const look = setInterval(() => {
    peakMib = Math.max(peakMib, readPeakMib(child.pid));
  }, 1);
  const [code] = (await once(child, "exit")) as [number | null];
  clearInterval(look);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}: ${await said}`);
  return { wallMs: performance.now() - startedAt, peakMib };
}

function readPeakMib(pid: number | undefined): number {
  try {
    const [, kib = "0"] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kib) / 1024;
  } catch {
    return 0; // It has just ended.
  }
}

/** CPU time of this process's children that have ended, in hundredths of a second (Linux). */
export function readEndedCpuMs(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
