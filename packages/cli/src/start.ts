import { readEnvironment, useCompileCache } from "./config/index.ts";
import type { Terminal } from "./terminal.ts";

/** Runs the command line that this process was started with. */
export async function start(): Promise<void> {
  const environment = readEnvironment();
  // Before most modules are loaded.
  useCompileCache(environment.cacheFolder);
  const interrupt = new AbortController();
  process.once("SIGINT", () => interrupt.abort(new Error("interrupted")));
  // A reader that has seen enough (`fairlead cluster list | head -1`) is no failure.
  process.stdout.on("error", (thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== "EPIPE") throw thrown;
    process.exit(0);
  });

  process.exitCode = await run(process.argv.slice(2), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment,
    now: Date.now,
    openBrowser: (url) => void import("./open-browser.ts").then(({ openBrowser }) => openBrowser(url)),
    signal: interrupt.signal,
  });
}

/** kubectl waits for `credential` at every call: it must not load the other commands. */
async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  if (args[0] === "credential") {
    const { runCredential } = await import("./credential/index.ts");
    return runCredential(args.slice(1), terminal);
  }
  const { runCli } = await import("./run-cli.ts");
  return runCli(args, terminal);
}
