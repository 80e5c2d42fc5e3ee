import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTools, startProcess } from "@fairlead/testkit";
import { readResidentBytes } from "../harness/memory.ts";
import { runProgram } from "../harness/run-program.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";

/** Measures the time that the fence adds to one program, and the memory of an idle runner that serves a container. */
export async function measureFence({ times }: { readonly times: number }): Promise<Row[]> {
  const { runner } = await ensureTools(["runner"]);
  const fixture = "packages/agent/src/processes/fence-cost.fixture.ts";
  const { leashedMs, fencedMs } = await runProgram<{ leashedMs: number; fencedMs: number }>(fixture, { runner, times });
  const mebibytes = (await readWaitingBytes(runner)) / 1024 / 1024;
  return [
    {
      name: "a program that does nothing, in its fence, p50",
      unit: "ms",
      figures: { "bare tool": leashedMs, fairlead: fencedMs },
      targets: [atMost(fencedMs - leashedMs, 30, "ms more than without")],
    },
    {
      name: "a runner that waits in a container of its own",
      unit: "MiB",
      figures: { fairlead: mebibytes },
      targets: [atMost(mebibytes, 60, "MiB")],
    },
  ];
}

async function readWaitingBytes(runner: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-fence-"));
  try {
    await using waiting = await startProcess({
      name: "runner",
      command: runner,
      args: ["serve", "--socket", join(folder, "socket")],
      env: {},
      logFile: join(folder, "log"),
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return readResidentBytes(waiting.pid);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
