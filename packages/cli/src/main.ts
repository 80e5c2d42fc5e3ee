#!/usr/bin/env node
import { readEnvironment } from "./config/index.ts";
import { runCli } from "./run-cli.ts";

const interrupt = new AbortController();
process.once("SIGINT", () => interrupt.abort(new Error("interrupted")));
// A reader that has seen enough (`fairlead cluster list | head -1`) is no failure.
process.stdout.on("error", (thrown: NodeJS.ErrnoException) => {
  if (thrown.code !== "EPIPE") throw thrown;
  process.exit(0);
});

process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: readEnvironment(),
  now: Date.now,
  signal: interrupt.signal,
});
