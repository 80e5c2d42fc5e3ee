// A small disk in memory that can be full. It is mounted in a mount namespace of its own, which ends with the last process in
// it.
import { open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startProcess } from "@fairlead/testkit";

export interface SmallDisk extends AsyncDisposable {
  /** Goes before a command and its arguments, and lets it see the disk. Everybody else sees an empty folder. */
  readonly launcher: readonly string[];
  /** A path on the disk, as this process reaches it. */
  view(path: string): string;
  /** Takes all room that is left, and all that becomes free, until what it returns is disposed. */
  fill(): AsyncDisposable;
}

/** Only root may mount one. */
export async function mountSmallDisk(options: {
  /** It is there and empty. */
  readonly folder: string;
  readonly bytes: number;
  readonly logFile: string;
}): Promise<SmallDisk> {
  const { folder, bytes, logFile } = options;
  const script = 'mount -t tmpfs -o "size=$1,mode=0711" tmpfs "$0" && exec sleep infinity';
  const holder = await startProcess({
    name: "small disk",
    command: "unshare",
    args: ["--mount", "--propagation", "private", "--", "sh", "-c", script, folder, String(bytes)],
    logFile,
    readyWhen: async ({ pid }) => {
      const { blocks, bsize } = await statfs(`/proc/${pid}/root${folder}`);
      return blocks * bsize === bytes;
    },
  });
  const view = (path: string): string => `/proc/${holder.pid}/root${path}`;
  return {
    launcher: ["nsenter", `--mount=/proc/${holder.pid}/ns/mnt`, "--"],
    view,
    fill: () => fill(view(join(folder, "ballast"))),
    [Symbol.asyncDispose]: async () => {
      await holder.stop({ graceMs: 0 });
    },
  };
}

function fill(file: string): AsyncDisposable {
  const stop = new AbortController();
  const filling = keepFull(file, stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await filling;
    },
  };
}

async function keepFull(file: string, signal: AbortSignal): Promise<void> {
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(file, { force: true }));
  const ballast = undo.use(await open(file, "a"));
  while (!signal.aborted) {
    for (const bytes of [1_048_576, 4_096]) while (await fits(() => ballast.write(Buffer.alloc(bytes))));
    await delay(20, undefined, { signal }).catch(() => undefined);
  }
}

/** A write that was cut short was the last one that found room. */
async function fits(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
    throw error;
  }
}
