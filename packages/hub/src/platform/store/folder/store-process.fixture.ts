// Stores in processes of their own, which can be killed.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { endDatabase, scriptArgs } from "@fairlead/testkit";
import type { StoreOptions } from "../types.ts";

export interface StoreProcess extends AsyncDisposable {
  readonly process: ChildProcessWithoutNullStreams;
  /** The next line that it prints. */
  next(): Promise<string>;
  /** Kills all that it started but the database's server, which has a session of its own. */
  kill(): Promise<void>;
}

export function startStoreProcess(options: {
  readonly dataDir: string;
  readonly mode?: "hold" | "fill";
  readonly store?: Pick<StoreOptions, "binDirs" | "path" | "socketDir" | "waitMs">;
  /** A command that runs the one which follows as its arguments. */
  readonly launcher?: readonly string[];
}): StoreProcess {
  const { dataDir, mode = "hold", store = {}, launcher = [] } = options;
  const script = fileURLToPath(new URL("hold-store.fixture.ts", import.meta.url));
  const node = [process.execPath, ...scriptArgs(script), dataDir, mode, JSON.stringify(store)];
  const [command = "", ...args] = [...launcher, ...node];
  const child = spawn(command, args, { detached: true });
  child.stderr.pipe(process.stderr);
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const kill = (): Promise<void> => killGroup(child);
  return {
    process: child,
    next: async () => String((await lines.next()).value),
    kill,
    async [Symbol.asyncDispose]() {
      await kill();
      await endDatabase(dataDir);
    },
  };
}

async function killGroup(child: ChildProcessWithoutNullStreams): Promise<void> {
  const exited = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, "exit");
  try {
    process.kill(-(child.pid ?? 0), "SIGKILL");
  } catch {
    // The whole group is gone already.
  }
  await exited;
}
