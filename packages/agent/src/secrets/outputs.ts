// Values that a command gives out, as a Secret in the cluster that is ours. Nobody else's Secret is ever written over.
import { sleep } from "@fairlead/kernel";
import { type KubeClient, kubeErrors } from "@fairlead/kube";
import { secretErrors } from "./errors.ts";

interface OutputsPlace {
  /** With the rights of the command. */
  readonly kube: Pick<KubeClient, "request">;
  readonly namespace: string;
  readonly name: string;
  /** The owner of the Secret: only the same one writes it again and removes it. */
  readonly owner: string;
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOutputsOptions extends OutputsPlace {
  /** Texts as they are, other values as JSON. Earlier keys that aren't here are removed. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface WrittenOutputs {
  /** Sorted; without those that tell types. */
  readonly names: readonly string[];
  readonly did: "created" | "changed" | "unchanged";
}

/** Throws OUTPUTS_SECRET_FOREIGN, OUTPUTS_NAME_INVALID and OUTPUTS_TOO_LARGE; nothing is written then. */
export async function writeOutputs(options: WriteOutputsOptions): Promise<WrittenOutputs> {
  const { owner, values, signal } = options;
  const data = encode(values);
  const names = Object.keys(values).sort();
  for (let tries = 1; ; tries++) {
    const found = await read(options);
    if (found !== undefined) requireOwn(found, options);
    if (found !== undefined && isSame(found.data ?? {}, data)) return { names, did: "unchanged" };
    try {
      await write(options, { found, data, owner });
      return { names, did: found === undefined ? "created" : "changed" };
    } catch (error) {
      // Somebody wrote it meanwhile: it may not be ours any more.
      if (!kubeErrors.is(error, "KUBE_CONFLICT", "KUBE_ALREADY_EXISTS", "KUBE_NOT_FOUND") || tries >= 5) throw error;
      await sleep(100 * tries, { ...(signal && { signal }) });
    }
  }
}

/** Nothing is left to give out. Somebody else's stays. */
export async function removeOutputs(options: OutputsPlace): Promise<void> {
  const { kube, signal } = options;
  const found = await read(options);
  if (found === undefined) return;
  requireOwn(found, options);
  const { uid, resourceVersion } = found.metadata;
  const body = { preconditions: { uid, resourceVersion } };
  try {
    await kube.request({ method: "DELETE", path: pathOf(options), body, signal });
  } catch (error) {
    if (!kubeErrors.is(error, "KUBE_NOT_FOUND")) throw error;
  }
}

/** Base64 by key. */
function encode(values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const data = new Map<string, Buffer>();
  for (const [name, value] of Object.entries(values)) {
    if (!keyName.test(name) || name.length > mostNameLength || name.endsWith(typeSuffix))
      throw secretErrors.OUTPUTS_NAME_INVALID({ name: JSON.stringify(name) });
    const type = typeOf(value);
    data.set(name, Buffer.from(typeof value === "string" ? value : JSON.stringify(value ?? null)));
    if (type !== "string") data.set(`${name}${typeSuffix}`, Buffer.from(type));
  }
  const sizeBytes = [...data.values()].reduce((sum, { length }) => sum + length, 0);
  if (sizeBytes > mostBytes) throw secretErrors.OUTPUTS_TOO_LARGE({ sizeBytes, limitBytes: mostBytes });
  return Object.fromEntries([...data].map(([key, bytes]) => [key, bytes.toString("base64")]));
}

function typeOf(value: unknown): "string" | "number" | "bool" | "list" | "object" | "null" {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "list";
  if (typeof value === "string") return "string";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "bool" : "object";
}

function requireOwn(found: Secret, { namespace, name, owner }: OutputsPlace): void {
  if (found.metadata.annotations?.[ownerAnnotation] === owner) return;
  throw secretErrors.OUTPUTS_SECRET_FOREIGN({ namespace, name, owner });
}

async function read({ kube, signal, ...place }: OutputsPlace): Promise<Secret | undefined> {
  try {
    return await kube.request<Secret>({ path: pathOf(place), signal });
  } catch (error) {
    if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

async function write(
  { kube, namespace, name, signal }: OutputsPlace,
  content: {
    readonly found: Secret | undefined;
    readonly data: Readonly<Record<string, string>>;
    readonly owner: string;
  },
): Promise<void> {
  const { found, data, owner } = content;
  const metadata = {
    ...found?.metadata,
    name,
    namespace,
    labels: { ...found?.metadata.labels, "app.kubernetes.io/managed-by": "fairlead-agent", [outputsLabel]: "" },
    annotations: { ...found?.metadata.annotations, [ownerAnnotation]: owner },
  };
  const body = { apiVersion: "v1", kind: "Secret", type: found?.type ?? "Opaque", metadata, data };
  await kube.request(
    found === undefined
      ? { method: "POST", path: folderOf(namespace), body, signal }
      : { method: "PUT", path: pathOf({ namespace, name }), body, signal },
  );
}

function pathOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${folderOf(namespace)}/${encodeURIComponent(name)}`;
}

function folderOf(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
}

function isSame(found: Readonly<Record<string, string>>, data: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(data);
  return Object.keys(found).length === keys.length && keys.every((key) => found[key] === data[key]);
}

interface Secret {
  readonly type?: string;
  readonly metadata: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

const ownerAnnotation = "fairlead.dev/outputs-of";
const outputsLabel = "fairlead.dev/outputs";
const typeSuffix = "__type";
const keyName = /^(?!\.{1,2}$)[-._a-zA-Z0-9]+$/;
const mostNameLength = 253 - typeSuffix.length;
/** The API server's bound for the values of a Secret. */
const mostBytes = 1024 * 1024;
