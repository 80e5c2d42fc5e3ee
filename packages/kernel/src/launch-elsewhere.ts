// Where a program goes on whose Node is too old. As in launch.ts, nothing here is newer than Node 12.20.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Options of `launchElsewhere`. */
export interface LaunchElsewhere {
  /** `import.meta.url` of the program's first file. */
  readonly mainUrl: string;
  readonly isNewEnough: (version: string) => boolean;
  /** Called when no newer Node lies beside the program. */
  readonly giveUp: () => void;
}

/** Runs the program by a newer Node that npm installed with it. */
export function launchElsewhere({ mainUrl, isNewEnough, giveUp }: LaunchElsewhere): void {
  const file = fileURLToPath(mainUrl);
  const node = findNodeBeside(dirname(file), isNewEnough);
  if (node === undefined) giveUp();
  else runInstead(node, process.execArgv.concat(file, process.argv.slice(2)));
}

/** The Node that npm installed with the program's packages: `node_modules/.bin/node` in a folder around it. */
function findNodeBeside(folder: string, isNewEnough: (version: string) => boolean): string | undefined {
  const node = join(folder, "node_modules", ".bin", "node");
  // Asked for its version: one that is too old would end up here again, for ever.
  if (existsSync(node) && isNewEnough(versionOf(node))) return node;
  const parent = dirname(folder);
  return parent === folder ? undefined : findNodeBeside(parent, isNewEnough);
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
