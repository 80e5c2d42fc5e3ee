// Tests make and remove files by the hundred thousand: the database of a hub alone is 1,400. For each new file ext4 looks
// through the places of those that were removed in the last minutes, which took a quarter of a run's time.
import { readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const folder = "/dev/shm";
/** Several times what a run has at once. */
const neededBytes = 8 * 1024 ** 3;

/** Keeps this process's temporary files, and those of its children, in memory where there is plenty. TMPDIR overrides. */
export function keepTemporaryFilesInMemory(): void {
  if (process.env["TMPDIR"] !== undefined || !isFit()) return;
  // All that start programs on this machine find each other's ports here.
  process.env["FAIRLEAD_PORTS_DIR"] ??= tmpdir();
  process.env["TMPDIR"] = folder;
}

function isFit(): boolean {
  if (process.platform !== "linux") return false;
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const [, , type, options = ""] = mounts.map((line) => line.split(" ")).find(([, place]) => place === folder) ?? [];
  if (type !== "tmpfs" || /\b(ro|noexec)\b/.test(options)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return Math.min(bavail * bsize, process.availableMemory()) >= neededBytes;
}
