// The lock of a state, as OpenTofu's backend keeps it. We take it ourselves and run OpenTofu without: then it says which
// command has it, and its id is in the record before it is taken. No other lock is ever opened but that of a command that
// has ended.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { isFairleadError, reasonOf, sleep } from "@fairlead/kernel";
import { type KubeClient, kubeErrors } from "@fairlead/kube";
import { executeErrors } from "../../errors.ts";
import type { OtherCommand, Task } from "../../types.ts";
import { tofuErrors } from "../errors.ts";
import type { TofuSpec } from "../types.ts";
import { lockName, stateLabels, stateSecretName } from "./names.ts";
import { readState, writeState } from "./record.ts";

export interface StateLock {
  /** Opens it, if it is still ours. Not after the lease was lost: then it is the next claim's. */
  release(): Promise<void>;
}

export type LockOperation = "plan" | "apply";

/** Throws TOFU_LOCKED, with who has it. */
export async function takeLock(task: Task<TofuSpec>, operation: LockOperation): Promise<StateLock> {
  const { spec, clock, signal } = task;
  const id = readState(task).lockId ?? randomUUID();
  await writeState(task, { lockId: id });
  const untilMs = clock.steadyMs() + spec.lockTimeoutSeconds * 1000;
  const lock: StateLock = { release: () => release(task, id) };
  let said = false;
  /** The holder that was looked for last. */
  let judged: string | undefined;
  for (;;) {
    const lease = await readLease(task, signal);
    const holder = lease?.spec?.holderIdentity ?? undefined;
    const info = readInfo(lease);
    const epoch = readCommand(info)?.epoch ?? 0;
    if (holder === id && epoch > task.epoch) throw executeErrors.COMMAND_LEASE_LOST();
    const isLast = clock.steadyMs() >= untilMs;
    const isAsked = holder !== undefined && holder !== id && (isLast || judged !== holder);
    if (isAsked) judged = holder;
    if (holder === undefined || holder === id || (isAsked && (await isLeft(task, info)))) {
      if (holder === id) task.log.line("tofu: the lock is of a run of this command that died, and is taken over");
      task.mayAct();
      if (await tryToTake(lease)) return lock;
      continue;
    }
    if (isLast) throw locked(spec, holder, info);
    if (!said) task.log.line(`tofu: ${locked(spec, holder, info).message} It is waited for.`);
    said = true;
    await sleep(Math.min(pollMs, untilMs - clock.steadyMs()), { clock, signal });
  }

  async function tryToTake(lease: Lease | undefined): Promise<boolean> {
    try {
      return await writeLease(task, lease, { id, info: describeLock(task, id, operation) }, task.forced);
    } catch (error) {
      // Only the answer may have been lost.
      await lock.release();
      throw error;
    }
  }
}

/** Its command couldn't open it, and has ended. */
async function isLeft(task: Task<TofuSpec>, info: LockInfo | undefined): Promise<boolean> {
  const command = readCommand(info);
  // What can't be asked about is left alone.
  if (command === undefined || !(await task.others.hasEnded(command, task.signal).catch(() => false))) return false;
  task.log.line(`tofu: the lock is of the command ${command.id}, which has ended, and is taken over`);
  return true;
}

/**
 * However the command ends: a command that was ended by force leaves nobody to open it. While the API server is away the
 * outcome can't be recorded either, so that this takes no time from anybody.
 */
async function release(task: Task<TofuSpec>, id: string): Promise<void> {
  for (let tries = 1, refusals = 0; mayRepair(task); tries++) {
    const signal = AbortSignal.timeout(releaseMs);
    try {
      const lease = await readLease(task, signal);
      if (lease?.spec?.holderIdentity !== id || (readCommand(readInfo(lease))?.epoch ?? 0) > task.epoch) return;
      if (await writeLease(task, lease, undefined, signal)) return;
    } catch (error) {
      if (!isPassing(error, signal)) refusals++;
      if (refusals > mostRefusals || tries > mostTries)
        return task.log.line(`tofu: the lock couldn't be opened: ${reasonOf(error)}`);
      await sleep(Math.min(500 * tries, 5_000), { clock: task.clock });
    }
  }
}

function isPassing(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || (isFairleadError(error) && error.retryable);
}

/** With a lost lease it is the next claim's. */
function mayRepair(task: Task<TofuSpec>): boolean {
  try {
    task.mayAct({ repair: true });
    return true;
  } catch {
    return false;
  }
}

function describeLock(task: Task<TofuSpec>, id: string, operation: LockOperation): LockInfo {
  return {
    ID: id,
    Operation: operation === "plan" ? "OperationTypePlan" : "OperationTypeApply",
    Info: `fairlead command ${task.id}, epoch ${task.epoch}`,
    Who: `fairlead-agent@${hostname()}`,
    Version: "",
    Created: new Date(task.clock.now()).toISOString(),
    Path: stateSecretName(task.spec),
    Records: task.others.place,
  };
}

/** Undefined for a lock that isn't a command's. The id of a step in a flow is the flow's with a number behind it. */
function readCommand(info: LockInfo | undefined): OtherCommand | undefined {
  const [, id = "", epoch] = /^fairlead command ([a-z0-9_]+)(?:-\d+)?, epoch (\d+)$/.exec(info?.Info ?? "") ?? [];
  return epoch === undefined ? undefined : { id, epoch: Number(epoch), place: info?.Records };
}

function locked(spec: TofuSpec, holder: string, info: LockInfo | undefined): Error {
  const { Who: who = "somebody", Created: since = "an unknown time", Operation = "", Info: about = "" } = info ?? {};
  const operation = [Operation.replace("OperationType", "").toLowerCase() || "unknown operation", about];
  return tofuErrors.TOFU_LOCKED({
    state: `${spec.namespace}/${stateSecretName(spec)}`,
    who,
    since,
    id: holder,
    operation: operation.filter(Boolean).join(", "),
  });
}

async function readLease({ kube, spec }: Task<TofuSpec>, signal: AbortSignal): Promise<Lease | undefined> {
  try {
    return await kube.request<Lease>({ path: pathOf(spec), signal });
  } catch (error) {
    if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** False when somebody else wrote meanwhile. */
async function writeLease(
  { kube, spec }: { readonly kube: KubeClient; readonly spec: TofuSpec },
  lease: Lease | undefined,
  lock: { readonly id: string; readonly info: LockInfo } | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const { [annotation]: _before, ...others } = lease?.metadata.annotations ?? {};
  const annotations = lock ? { ...others, [annotation]: JSON.stringify(lock.info) } : others;
  const { holderIdentity: _holder, ...rest } = lease?.spec ?? {};
  const body = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: lockName(spec),
      namespace: spec.namespace,
      labels: stateLabels(spec),
      ...lease?.metadata,
      annotations,
    },
    spec: { ...rest, ...(lock && { holderIdentity: lock.id }) },
  };
  const [method, path] = lease ? (["PUT", pathOf(spec)] as const) : (["POST", folderOf(spec)] as const);
  try {
    await kube.request({ method, path, body, signal });
    return true;
  } catch (error) {
    if (kubeErrors.is(error, "KUBE_CONFLICT", "KUBE_ALREADY_EXISTS")) return false;
    if (lease && kubeErrors.is(error, "KUBE_NOT_FOUND")) return false;
    throw error;
  }
}

function readInfo(lease: Lease | undefined): LockInfo | undefined {
  try {
    return JSON.parse(lease?.metadata.annotations?.[annotation] ?? "") as LockInfo;
  } catch {
    return undefined;
  }
}

function pathOf(spec: TofuSpec): string {
  return `${folderOf(spec)}/${lockName(spec)}`;
}

function folderOf({ namespace }: TofuSpec): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
}

interface Lease {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly holderIdentity?: string | null };
}

/** As OpenTofu writes and shows it. */
interface LockInfo {
  readonly ID: string;
  readonly Operation: string;
  readonly Info: string;
  readonly Who: string;
  readonly Version: string;
  readonly Created: string;
  readonly Path: string;
  /** Ours: where the command's record is. */
  readonly Records?: string;
}

const annotation = "app.terraform.io/lock-info";
const pollMs = 1_000;
const releaseMs = 10_000;
/** Some ten minutes. */
const mostTries = 130;
/** Some minutes: an API server that has just begun refuses what it will allow. */
const mostRefusals = 20;
