import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Clears up a folder that is thrown away when this process is killed: a process of its own waits for the end of its input,
 * which comes however this one ends, then ends the server and removes the folder. It needs Node and nothing else: images
 * have no shell, and `PATH` may be anything. Where this is process 1, the kernel ends all others with it. Disposed, it leaves
 * server and folder alone.
 */
export function watchOver(dataDir: string): Disposable {
  if (process.pid === 1) return { [Symbol.dispose]: () => undefined };
  const watcher = spawn(process.execPath, [...small, ...conditions, script, dataDir], {
    // A session of its own: signals of a terminal are for the hub.
    detached: true,
    cwd: "/",
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
  });
  watcher.on("error", () => undefined);
  watcher.stdin.on("error", () => undefined);
  watcher.unref();
  return { [Symbol.dispose]: () => watcher.stdin.end("\n") };
}

const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
const script = fileURLToPath(new URL(`end-throwaway${extension}`, import.meta.url));
/** It lies idle for as long as the hub lives. */
const small = ["--max-old-space-size=16", "--max-semi-space-size=1", "--v8-pool-size=0", "--disable-sigusr1"];
/** Run from sources, packages are found in theirs. */
const conditions =
  extension === ".ts" ? ["--conditions=@fairlead/source", "--disable-warning=ExperimentalWarning"] : [];
