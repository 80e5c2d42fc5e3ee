// The first thing that each program does: see whether this Node can run the rest. An older Node gets as far as here
// only because nothing here is newer than Node 12.20: no `?.`, no `??`, no `await` outside functions, and no import of
// a file that might have one. `start` loads the rest, once the version is known to be enough.
import { writeFileSync } from "node:fs";

export const neededNodeMajor = 24;

/** The exit code of a program whose Node is too old: EX_CONFIG of sysexits.h. */
export const nodeTooOldExitCode = 78;

/** Written like every table of errors, for docs/errors.md. An older Node may not be able to read `defineErrors`. */
const table = {
  NODE_TOO_OLD: {
    message: "Node {major} or newer is required",
    meaning:
      "`fairlead`, `fairlead-hub` or `fairlead-agent` was started by a Node older than 24, and no newer one is installed beside it. The exit code is 78.",
    remedy:
      "Install Node 24 or newer and put it first on `PATH`, or use the single-file `fairlead`, which includes Node.",
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
  // Loaded by an older Node alone: its imports take a new one longer than all else here.
  void import("./launch-elsewhere.ts").then(({ launchElsewhere }) =>
    launchElsewhere({ mainUrl, isNewEnough, giveUp: () => giveUp(program) }),
  );
}

function giveUp(program: string): void {
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
