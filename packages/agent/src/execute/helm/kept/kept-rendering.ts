// The rendering that people approve, from its plan to its end.
import { randomBytes } from "node:crypto";
import { kubeErrors } from "@fairlead/kube";
import { executeErrors } from "../../errors.ts";
import { discardSecret } from "../../tofu/state/pieces.ts";
import type { Task } from "../../types.ts";
import { readKept, stateWith } from "../memory.ts";
import type { HelmSpec } from "../types.ts";
import type { Rendering } from "./rendering.ts";
import { seal, unseal } from "./seal.ts";

export async function keepRendering(task: Task<HelmSpec>, rendering: Rendering): Promise<void> {
  await dropRendering(task);
  await dropOthers(task);
  const content: Content = { rendering, concealed: task.secrets.concealed() };
  const { text, key } = await seal(content, task.id);
  const name = `fairlead-plan-${randomBytes(10).toString("hex")}`;
  // In the record before it is in the cluster: whoever goes on knows what there may be.
  await task.state.write(stateWith(task.state.read(), { kept: { text, secret: name } }));
  task.mayAct();
  if (await keepKey(task, name, key)) return;
  await task.state.write(stateWith(task.state.read(), { kept: { text, key: key.toString("base64") } }));
}

/** Its secrets are masked from then on. Throws COMMAND_PLAN_STALE where it isn't as it was kept. */
export async function fetchRendering(task: Task<HelmSpec>): Promise<Rendering> {
  const kept = readKept(task.state.read());
  if (kept === undefined) throw stale("the rendered chart is no longer stored");
  const key = "key" in kept ? kept.key : await readKey(task, kept.secret);
  if (key === undefined) throw stale("the key of the rendered chart is no longer in the cluster");
  const content = await unseal({ text: kept.text, key: Buffer.from(key, "base64") }, task.id);
  if (content === undefined) throw stale("the rendered chart or its key was changed");
  const { rendering, concealed } = content as Content;
  for (const value of concealed) task.secrets.conceal(value);
  return rendering;
}

/** When the command is at its end. */
export async function dropRendering(task: Task<HelmSpec>): Promise<void> {
  const kept = readKept(task.state.read());
  if (kept && "secret" in kept) await discardSecret(placeOf(task), kept.secret);
}

interface Content {
  readonly rendering: Rendering;
  /** Values of Secrets that may be in it. */
  readonly concealed: readonly string[];
}

/** False where the namespace isn't there yet, and the upgrade makes it: then the record has the key, too. */
async function keepKey({ kube, spec, clock, id, forced: signal }: Task<HelmSpec>, name: string, key: Buffer) {
  const metadata = {
    name,
    labels: { "app.kubernetes.io/managed-by": "fairlead-agent", [planLabel]: spec.release },
    annotations: {
      "fairlead.dev/expires": new Date(clock.now() + keptMs).toISOString(),
      "fairlead.dev/command": id,
    },
  };
  const data = { key: key.toString("base64") };
  const body = { apiVersion: "v1", kind: "Secret", type: "fairlead.dev/helm-plan", metadata, data };
  try {
    await kube.request({ method: "POST", path: folderOf(spec), body, signal });
    return true;
  } catch (error) {
    if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return false;
    throw error;
  }
}

async function readKey({ kube, spec, forced: signal }: Task<HelmSpec>, name: string): Promise<string | undefined> {
  try {
    const path = `${folderOf(spec)}/${name}`;
    return (await kube.request<{ data?: { key?: string } }>({ path, signal })).data?.key;
  } catch (error) {
    if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** Keys of plans for the same release whose time is over: nobody approved them. */
async function dropOthers(task: Task<HelmSpec>): Promise<void> {
  const { kube, spec, clock, forced: signal } = task;
  const selector = encodeURIComponent(`${planLabel}=${spec.release}`);
  const path = `${folderOf(spec)}?labelSelector=${selector}&limit=200`;
  const { items } = await kube.request<SecretList>({ path, signal });
  for (const { metadata } of items)
    if (Date.parse(metadata.annotations?.["fairlead.dev/expires"] ?? "") < clock.now())
      await discardSecret(placeOf(task), metadata.name);
}

function placeOf({ kube, spec, forced: signal }: Task<HelmSpec>) {
  return { kube, namespace: spec.namespace, signal };
}

function folderOf({ namespace }: HelmSpec): string {
  return `/api/v1/namespaces/${namespace}/secrets`;
}

function stale(detail: string): Error {
  return executeErrors.COMMAND_PLAN_STALE({ detail });
}

interface SecretList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  }[];
}

const planLabel = "fairlead.dev/helm-plan";
const keptMs = 30 * 24 * 3_600_000;
