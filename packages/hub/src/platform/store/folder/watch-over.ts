import { spawn } from "node:child_process";

/**
 * Clears up a folder that is thrown away when this process is killed: a shell waits for the end of its input, which comes
 * however the process ends, then stops the server and removes the folder. Where there is no shell, as in a container, all
 * processes end together. Disposed, it leaves both alone.
 */
export function watchOver(dataDir: string): Disposable {
  const shell = spawn("/bin/sh", ["-c", script, dataDir], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  shell.on("error", () => undefined);
  shell.stdin.on("error", () => undefined);
  shell.unref();
  return { [Symbol.dispose]: () => shell.stdin.end("\n") };
}

/** More than once: the server may be about to start. */
const script = `read -r _ && exit
for _ in 1 2 3; do kill -INT "$(head -n 1 "$0"/postgres/*/postmaster.pid)"; sleep 1; done
rm -rf "$0"`;
