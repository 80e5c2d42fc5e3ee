// The first thing that each program does: see whether this Node can run the rest. An older Node gets as far as here
// only because nothing here is newer than Node 12.20: no `?.`, no `??`, no `await` outside functions, and no import of
// a file that might have one. `start` loads the rest, once the version is known to be enough.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const neededNodeMajor = 24;

/** The exit code of a program whose Node is too old: EX_CONFIG of sysexits.h. */
export const nodeTooOldExitCode = 78;

/** Written like every table of errors, for docs/errors.md. An older Node may not be able to read `defineErrors`. */
const table = {
  NODE_TOO_OLD: {
    message: "Node {major} or newer is needed",
    meaning:
      "`fairlead`, `fairlead-hub` or `fairlead-agent` was started by a Node older than 24, and no newer one lies beside it. The exit code is 78.",
    remedy: "Install Node 24 or newer and put it first on `PATH`, or take `fairlead` as one file, which has its own.",
  },
};

export interface Launch {
  readonly program: string;
  /** `import.meta.url` of the program's first file. */
  readonly mainUrl: string;
  readonly start: () => Promise<unknown>;
}

/** Starts the program here, or with a newer Node that lies beside it, or says plainly what is missing. */
export function launch({ program, mainUrl, start }: Launch): void {
  shieldMemory();
  if (isNewEnough(process.versions.node)) {
    void start();
    return;
  }
  const file = fileURLToPath(mainUrl);
  const node = findNodeBeside(dirname(file));
  if (node !== undefined) {
    runInstead(node, process.execArgv.concat(file, process.argv.slice(2)));
    return;
  }
  const message = table.NODE_TOO_OLD.message.replace("{major}", String(neededNodeMajor));
  process.stderr.write(
    `${program}: ${message}, and this is Node ${process.versions.node} (NODE_TOO_OLD)\n` +
      `  ${process.execPath} runs this. Install a newer Node from https://nodejs.org or by your system's packages, ` +
      "and put it first on PATH.\n",
  );
  process.exitCode = nodeTooOldExitCode;
}

/**
 * Keys and tokens lie in memory. A listener takes the place of Node's own for SIGUSR1, which starts a debugger. Without
 * a mapping to write, a core file holds none of them: the kernel's filter reaches the programs that this one starts, too.
 */
export function shieldMemory(): void {
  process.on("SIGUSR1", () => undefined);
  try {
    writeFileSync("/proc/self/coredump_filter", "0");
  } catch {
    // No Linux, or one whose /proc can't be written: docs/SECURITY.md says what else turns core files off.
  }
}

function isNewEnough(version: string): boolean {
  return Number(version.split(".")[0]) >= neededNodeMajor;
}

/** The Node that npm installed with the program's packages: `node_modules/.bin/node` in a folder around it. */
function findNodeBeside(folder: string): string | undefined {
  const node = join(folder, "node_modules", ".bin", "node");
  // Asked for its version: one that is too old would end up here again, for ever.
  if (existsSync(node) && isNewEnough(versionOf(node))) return node;
  const parent = dirname(folder);
  return parent === folder ? undefined : findNodeBeside(parent);
}

function versionOf(node: string): string {
  const { stdout } = spawnSync(node, ["-p", "process.versions.node"], { encoding: "utf8", timeout: 10000 });
  return typeof stdout === "string" ? stdout : "";
}

/** As if it were this process: same streams, signals passed on, ends as the other ends. */
function runInstead(node: string, args: string[]): void {
  const child = spawn(node, args, { stdio: "inherit" });
  const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"];
  // A key pressed in the terminal reaches the child without us, and twice means something else than once.
  const isFromKeyboard = (signal: NodeJS.Signals) =>
    (signal === "SIGINT" || signal === "SIGQUIT") && Boolean(process.stdin.isTTY || process.stderr.isTTY);
  const passOn = (signal: NodeJS.Signals) => {
    if (!isFromKeyboard(signal)) child.kill(signal);
  };
  for (const signal of signals) process.on(signal, passOn);
  child.once("error", (error) => {
    throw error;
  });
  child.once("exit", (code, signal) => {
    if (signal === null) process.exit(code === null ? 1 : code);
    for (const name of signals) process.removeListener(name, passOn);
    process.kill(process.pid, signal);
  });
}
