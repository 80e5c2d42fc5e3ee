// A disk that forgets what was not synced when the power goes (tools/forgetful), and that can be full or broken.
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFairleadError } from "@fairlead/kernel";
import { diskUnavailable } from "../errors.ts";
import { startProcess } from "../processes/index.ts";
import { ensureTools } from "../tools/index.ts";
import { type ControlLine, openControlLine } from "./control-line.ts";

export interface ForgetfulDisk extends AsyncDisposable {
  /** The disk is mounted here for the commands behind `launcher`. Everybody else sees an empty folder. */
  readonly folder: string;
  /** Goes before a command and its arguments, and lets it see the mount. */
  readonly launcher: readonly string[];
  /** An empty folder in memory, seen by the same commands. A server that syncs all its files when it starts is quick there. */
  readonly memory: string;
  /** Such a folder, or what is in it, as this process reaches it. */
  view(path: string): string;
  /** Grows with each change and each sync. Whatever was acknowledged until now must be there after a cut from here on. */
  position(): Promise<number>;
  /**
   * Lists a position for each state in which a power cut can leave what is durable: the last one before each sync, and
   * the end. Nothing that rests on the syncs so far can be acknowledged later than these.
   */
  moments(range: { readonly after: number; readonly upTo: number }): Promise<readonly number[]>;
  /** Makes a folder as a power cut at the position would have left it. Quicker for positions that grow. */
  materialise(cut: PowerCut): Promise<void>;
  /** Ends an operation on the files whose path, below the mount, fits the expression (of Go). */
  fail(fault: {
    readonly operation: "fsync" | "write";
    readonly path: string;
    readonly errno: "EDQUOT" | "EIO" | "ENOSPC" | "EROFS";
  }): Promise<void>;
  /** Lets files grow by so many bytes, and those that are deleted make room for. */
  fill(options?: { readonly freeBytes?: number }): Promise<void>;
  makeReadOnly(): Promise<void>;
  /** Ends all faults. */
  heal(): Promise<void>;
}

export interface PowerCut {
  readonly position: number;
  /** A folder that is made, or empty, as commands behind `launcher` see it. */
  readonly to: string;
  /** The part that is left of unsynced writes: nothing, all names with nothing in new files, some by chance, all. */
  readonly unsynced?: "lost" | "names" | "some" | "all";
  /** Decides what `some` is. */
  readonly seed?: number;
}

/**
 * The mount lies in a mount namespace of its own, which ends with the last process in it: nothing stays mounted,
 * whatever becomes of the test. Throws TOOLS_UNAVAILABLE where file systems can't be mounted.
 */
export async function mountForgetful(
  options: {
    /** The folder to mount on, made if it isn't there; a new one unless named. */
    readonly folder?: string;
    readonly signal?: AbortSignal;
  } = {},
): Promise<ForgetfulDisk> {
  if (process.getuid?.() !== 0) throw diskUnavailable("only root may mount one");
  if (!existsSync("/dev/fuse")) throw diskUnavailable("there is no /dev/fuse");
  await using undo = new AsyncDisposableStack();
  const ownFolder = await mkdtemp(join(tmpdir(), "fairlead-disk-"));
  undo.defer(() => rm(ownFolder, { recursive: true, force: true }));
  // A server that gives up its rights must get to the mount.
  await chmod(ownFolder, 0o711);
  const { folder = join(ownFolder, "mount"), signal } = options;
  await mkdir(folder, { recursive: true });
  const stateDir = join(ownFolder, "state");
  await mkdir(stateDir, { mode: 0o700 });
  const memory = join(ownFolder, "memory");
  await mkdir(memory);
  const { pid, line } = await startDisk({ folder, stateDir, memory, undo, signal });
  const release = undo.move();
  return {
    folder,
    launcher: ["nsenter", `--mount=/proc/${pid}/ns/mnt`, "--"],
    memory,
    view: (path) => join(`/proc/${pid}/root`, path),
    position: async () => (await line.send({ do: "position" })).position,
    async moments({ after, upTo }) {
      const { syncs = [] } = await line.send({ do: "syncs", after, position: upTo });
      return [...syncs.map((position) => position - 1), upTo];
    },
    async materialise(cut) {
      await line.send({ do: "materialise", ...cut });
    },
    async fail(fault) {
      await line.send({ do: "fail", ...fault });
    },
    async fill({ freeBytes = 0 } = {}) {
      await line.send({ do: "full", freeBytes });
    },
    async makeReadOnly() {
      await line.send({ do: "readOnly" });
    },
    async heal() {
      await line.send({ do: "heal" });
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

async function startDisk(options: {
  readonly folder: string;
  readonly stateDir: string;
  readonly memory: string;
  readonly undo: AsyncDisposableStack;
  readonly signal: AbortSignal | undefined;
}): Promise<{ pid: number; line: ControlLine }> {
  const { folder, stateDir, memory, undo, signal } = options;
  const { forgetful } = await ensureTools(["forgetful"]);
  const socketFile = join(stateDir, "control.sock");
  const running = await startProcess({
    name: "forgetful disk",
    command: forgetful,
    args: ["--mount", folder, "--state", stateDir, "--memory", memory, "--control", socketFile],
    logFile: join(stateDir, "log"),
    readyWhen: async () => {
      using _probe = await openControlLine(socketFile);
      return true;
    },
    signal,
  }).catch((error: unknown) => {
    const isForbidden = isFairleadError(error) && error.message.includes("operation not permitted");
    throw isForbidden ? diskUnavailable("this container may not mount file systems", error) : error;
  });
  undo.defer(async () => {
    await running.stop({ graceMs: 0 });
  });
  return { pid: running.pid, line: undo.use(await openControlLine(socketFile)) };
}
