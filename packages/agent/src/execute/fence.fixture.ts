// The fence that programs of commands have on this machine.
import { tmpdir } from "node:os";
import { systemClock } from "@fairlead/kernel";
import { ensureTools } from "@fairlead/testkit";
import { type Fence, openFence } from "../processes/index.ts";

export async function openTestFence(folder: string = tmpdir()): Promise<Fence> {
  const { runner } = await ensureTools(["runner"]);
  return await openFence({
    settings: { program: runner, socket: undefined, uids: { first: 64_000, last: 64_063 } },
    folder,
    environment: process.env,
    signal: new AbortController().signal,
    clock: systemClock,
  });
}
