// The lock of a state, as OpenTofu's backend keeps it. We take it ourselves and run OpenTofu without: then it says which
// command has it, its id is in the record before it is taken, and no other lock is ever opened.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { sleep } from "@fairlead/kernel";
import { type KubeClient, kubeErrors } from "@fairlead/kube";
import { executeErrors } from "../../errors.ts";
import type { Task } from "../../types.ts";
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
  const untilMs = clock.now() + spec.lockTimeoutSeconds * 1000;
  for (let said = false; ; ) {
    const lease = await readLease(task, signal);
    const holder = lease?.spec?.holderIdentity ?? undefined;
    const info = readInfo(lease);
    if (holder === id && (readEpoch(info) ?? 0) > task.epoch) throw executeErrors.COMMAND_LEASE_LOST();
    if (holder === undefined || holder === id) {
      if (holder === id) task.log.line("tofu: the lock is of a run of this command that died, and is taken over");
      task.mayAct();
      if (await writeLease(task, lease, { id, info: describeLock(task, id, operation) }, task.forced)) break;
      continue;
    }
    if (clock.now() >= untilMs) throw locked(spec, holder, info);
    if (!said) task.log.line(`tofu: ${locked(spec, holder, info).message} It is waited for.`);
    said = true;
    await sleep(Math.min(pollMs, untilMs - clock.now()), { clock, signal });
  }
  return { release: () => release(task, id) };
}

/** However the command ends: a command that was ended by force leaves nobody to open it. */
async function release(task: Task<TofuSpec>, id: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    if (!mayRepair(task)) return;
    const signal = AbortSignal.timeout(releaseMs);
    try {
      const lease = await readLease(task, signal);
      if (lease?.spec?.holderIdentity !== id || (readEpoch(readInfo(lease)) ?? 0) > task.epoch) return;
      if (await writeLease(task, lease, undefined, signal)) return;
    } catch {
      if (tries >= 5) return task.log.line("tofu: the lock couldn't be opened");
      await sleep(500 * tries, { clock: task.clock });
    }
  }
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
  };
}

function readEpoch(info: LockInfo | undefined): number | undefined {
  const match = /, epoch (\d+)$/.exec(info?.Info ?? "");
  return match ? Number(match[1]) : undefined;
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
}

const annotation = "app.terraform.io/lock-info";
const pollMs = 1_000;
const releaseMs = 10_000;
