// Makes every npm command work on a fresh clone: installs the packages when they are missing or older than the
// lock file, checks that Node 24 runs what follows, then runs the npm script named by the first argument.
// Plain JavaScript on purpose: it is the one file that the machine's own Node (>= 20) has to read.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [script, ...args] = process.argv.slice(2);

if (!isInstalled()) {
  console.error("fairlead: installing packages ...");
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
}
requireNode24();
become("npm", ["run", "--silent", script, ...(args.length > 0 ? ["--", ...args] : [])]);

function isInstalled() {
  const marker = join(root, "node_modules", ".package-lock.json");
  return existsSync(marker) && statSync(marker).mtimeMs >= statSync(join(root, "package-lock.json")).mtimeMs;
}

function requireNode24() {
  const probe = spawnSync("node", ["--version"], { cwd: root, env: environment(), encoding: "utf8" });
  const version = (probe.stdout ?? "").trim();
  if (Number(version.slice(1).split(".")[0]) >= 24) return;
  console.error(
    `fairlead: Node 24 or newer is required and this is ${version || "no Node at all"}. On Linux x64 it is installed ` +
      "with the packages (is npm told to omit optional ones?); elsewhere install it and try again.",
  );
  process.exit(1);
}

function run(command, commandArgs) {
  const result = spawnSync(command, commandArgs, { cwd: root, env: environment(), stdio: "inherit" });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Ends when the command has ended, also after a signal: what stops in order has the time for it. */
function become(command, commandArgs) {
  const child = spawn(command, commandArgs, { cwd: root, env: environment(), stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // Ctrl-C in a terminal reaches the child without us.
    process.on(signal, () => (signal === "SIGINT" && process.stdin.isTTY) || child.kill(signal));
  }
  // npm passes signals on to the shell that it starts commands in, and that one dies of them without a word to us.
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || child.kill("SIGTERM"), 250).unref();
  child.once("error", (error) => {
    throw error;
  });
  child.once("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function environment() {
  return { ...process.env, PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}` };
}
