// How long a program takes that does nothing, beside itself without a fence. Reads `{"runner": FILE, "times": N}` from standard
// input, and prints `{"leashedMs": N, "fencedMs": N}`: medians, taken in turn.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { systemClock } from "@fairlead/kernel";
import type { ProcessFence } from "./fence.ts";
import { findProgram } from "./find-program.ts";
import { openFence } from "./open-fence.ts";
import { runProcess } from "./run-process.ts";
import { openWorkFolder } from "./work-folder.ts";

const { runner, times } = JSON.parse(await text(process.stdin)) as { runner: string; times: number };
const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), "fairlead-fence-cost-"));
try {
  const fence = await openFence({
    settings: { program: runner, socket: undefined, uids: { first: 64_000, last: 64_000 } },
    folder,
    environment: process.env,
    signal,
    clock: systemClock,
  });
  const program = await findProgram("true", process.env["PATH"]);
  const leashed: number[] = [];
  const fenced: number[] = [];
  for (let time = 0; time < times; time++) {
    await using work = await openWorkFolder(fence.folder);
    using place = await fence.enter(signal);
    leashed.push(await measure(work.path, undefined));
    fenced.push(await measure(work.path, { place, write: [work.path], read: [], ports: [] }));
  }
  console.log(JSON.stringify({ leashedMs: median(leashed), fencedMs: median(fenced) }));

  async function measure(at: string, around: ProcessFence | undefined): Promise<number> {
    const beganMs = performance.now();
    await runProcess({
      program,
      args: [],
      folder: at,
      environment: {},
      onStderr: () => undefined,
      signal,
      forced: signal,
      pace: { interruptMs: 0, terminateMs: 1_000 },
      fence: around,
      clock: systemClock,
    });
    return performance.now() - beganMs;
  }
} finally {
  rmSync(folder, { recursive: true });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
