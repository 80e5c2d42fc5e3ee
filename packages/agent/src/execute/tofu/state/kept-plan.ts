// A plan file that waits for approval. It holds secrets: what lies in the cluster is encrypted with a key that only the
// command's record has, which is in another namespace, and goes when the command is at its end.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { kubeErrors } from "@fairlead/kube";
import { executeErrors } from "../../errors.ts";
import type { Task } from "../../types.ts";
import { tofuErrors } from "../errors.ts";
import type { KeptPlan, TofuSpec } from "../types.ts";
import { ownerOf } from "./names.ts";
import { discardSecret, fetchPieces, keepPieces, removePieces } from "./pieces.ts";
import { readState, writeState } from "./record.ts";

/** In the record before it is in the cluster: whoever goes on knows what there may be. */
export async function keepPlan(
  task: Task<TofuSpec>,
  plan: Pick<KeptPlan, "commit" | "needs"> & { readonly bytes: Buffer },
): Promise<KeptPlan> {
  const { bytes, commit, needs } = plan;
  if (bytes.length > mostBytes) throw tofuErrors.TOFU_PLAN_TOO_LARGE({ limitBytes: mostBytes });
  await dropPlan(task);
  const key = randomBytes(32);
  const expiresAtMs = task.clock.now() + keptMs;
  const base = `fairlead-plan-${targetOf(task.spec)}-${randomBytes(5).toString("hex")}`;
  const kept: KeptPlan = { digest: digestOf(bytes), base, key: key.toString("base64"), expiresAtMs, commit, needs };
  await writeState(task, { plan: kept, phase: undefined });
  task.mayAct();
  await keepPieces(placeOf(task, base), {
    bytes: seal(bytes, key, base),
    labels: { "app.kubernetes.io/managed-by": "fairlead-agent", [planLabel]: targetOf(task.spec) },
    annotations: { [expiresAnnotation]: new Date(expiresAtMs).toISOString(), [commandAnnotation]: task.id },
  });
  await writeState(task, { phase: "planned" });
  return kept;
}

/** Throws COMMAND_PLAN_STALE unless it is the plan with this digest, bit by bit. */
export async function fetchPlan(task: Task<TofuSpec>, digest: string): Promise<KeptPlan & { readonly bytes: Buffer }> {
  const { plan } = readState(task);
  if (plan === undefined) throw stale("the plan is no longer stored");
  if (plan.digest !== digest) throw stale("a newer plan was made");
  if (task.clock.now() > plan.expiresAtMs) throw stale("the stored plan has expired");
  const sealed = await fetchPieces(placeOf(task, plan.base));
  if (sealed === undefined) throw stale("the plan is no longer in the cluster");
  const bytes = open(sealed, Buffer.from(plan.key, "base64"), plan.base);
  if (bytes === undefined || digestOf(bytes) !== digest) throw stale("the plan in the cluster was changed");
  return { ...plan, bytes };
}

/** Removes this command's plan, and plans of others for the same state whose time is over. */
export async function dropPlan(task: Task<TofuSpec>): Promise<void> {
  const { plan } = readState(task);
  if (plan) await removePieces(placeOf(task, plan.base));
  const { kube, spec, forced: signal, clock } = task;
  const { namespace } = spec;
  const selector = encodeURIComponent(`${planLabel}=${targetOf(spec)}`);
  const path = `/api/v1/namespaces/${namespace}/secrets?labelSelector=${selector}&limit=200`;
  // Without the right to list, the others' plans are left to the next command that has it.
  const { items } = await kube.request<SecretList>({ path, signal }).catch((error: unknown) => {
    if (!kubeErrors.is(error, "KUBE_FORBIDDEN")) throw error;
    return { items: [] };
  });
  for (const { metadata } of items) {
    const { name, annotations = {} } = metadata;
    const isOver = Date.parse(annotations[expiresAnnotation] ?? "") < clock.now();
    if (isOver || annotations[commandAnnotation] === task.id) await discardSecret({ kube, namespace, signal }, name);
  }
}

function placeOf({ kube, spec, forced: signal }: Task<TofuSpec>, base: string) {
  return { kube, namespace: spec.namespace, base, signal };
}

/** The name is part of it: pieces of another plan don't pass for these. */
function seal(bytes: Buffer, key: Buffer, name: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

function open(sealed: Buffer, key: Buffer, name: string): Buffer | undefined {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(name)).setAuthTag(sealed.subarray(12, 28));
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
  } catch {
    return undefined;
  }
}

export function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function targetOf(spec: TofuSpec): string {
  return createHash("sha256").update(ownerOf(spec)).digest("hex").slice(0, 16);
}

function stale(detail: string): Error {
  return executeErrors.COMMAND_PLAN_STALE({ detail });
}

interface SecretList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  }[];
}

const planLabel = "fairlead.dev/tofu-plan";
const expiresAnnotation = "fairlead.dev/expires";
const commandAnnotation = "fairlead.dev/command";
const keptMs = 7 * 24 * 3_600_000;
const mostBytes = 32 * 1024 * 1024;
