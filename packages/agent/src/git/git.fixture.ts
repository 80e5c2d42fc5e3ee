// Runs git as commands do.
import { tmpdir } from "node:os";
import { systemClock } from "@fairlead/kernel";
import { openTestFence } from "../execute/fence.fixture.ts";
import { childEnvironment, findProgram, findProgramFolders, openWorkFolder, runProcess } from "../processes/index.ts";
import type { GitPrograms } from "./run-git.ts";

export interface TestGitPrograms extends GitPrograms, AsyncDisposable {
  /** The arguments of each program that ran. */
  readonly seen: readonly { readonly args: readonly string[] }[];
}

export async function openTestGitPrograms(): Promise<TestGitPrograms> {
  const work = await openWorkFolder(tmpdir());
  const fence = await openTestFence();
  const place = await fence.enter(new AbortController().signal);
  const { read } = await findProgramFolders(process.env);
  const ports: number[] = [];
  const seen: { args: readonly string[] }[] = [];
  return {
    folder: work.path,
    seen,
    reach: (address) => void ports.push(Number(new URL(address).port)),
    async run({ name, args, folder, environment, onStderr = () => undefined, pace, signal }) {
      seen.push({ args });
      const from = process.env;
      return await runProcess({
        program: await findProgram(name, from["PATH"]),
        args,
        folder: folder ?? work.path,
        onStderr,
        pace,
        clock: systemClock,
        environment: childEnvironment({ from, home: work.path, temporary: work.temporary, also: environment }),
        signal: signal ?? new AbortController().signal,
        forced: new AbortController().signal,
        fence: { place, write: [work.path], read, ports },
      });
    },
    async [Symbol.asyncDispose]() {
      place[Symbol.dispose]();
      await work[Symbol.asyncDispose]();
    },
  };
}
