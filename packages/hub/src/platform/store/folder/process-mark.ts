import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";

/** Enough to tell later whether this very process still runs, though pids are used again. */
export interface ProcessMark {
  readonly pid: number;
  /** Since boot; undefined where there is no /proc. */
  readonly startTicks?: string | undefined;
  /** The pid means something only here: in one boot of a machine, and in the pid namespace of a container on it. */
  readonly place: string;
}

export async function describeThisProcess(): Promise<ProcessMark> {
  return { pid: process.pid, startTicks: await readStartTicks(process.pid), place: await describePlace() };
}

/** A process of this place; undefined when there is none with this pid, or one that has ended and wasn't reaped yet. */
export async function markProcess(pid: number): Promise<ProcessMark | undefined> {
  const mark = { pid, startTicks: await readStartTicks(pid), place: await describePlace() };
  if (mark.startTicks === undefined && process.platform === "linux") return undefined;
  return (await isProcessAlive(mark)) ? mark : undefined;
}

/** The mark must be of this place. */
export async function isProcessAlive(mark: ProcessMark): Promise<boolean> {
  if (mark.startTicks !== undefined) return (await readStartTicks(mark.pid)) === mark.startTicks;
  try {
    process.kill(mark.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function describePlace(): Promise<string> {
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => hostname());
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  return `${boot.trim()} ${namespace}`.trim();
}

/** Field 22 of /proc/PID/stat. The name before it may hold spaces and parentheses, so fields count from its last one. */
async function readStartTicks(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
