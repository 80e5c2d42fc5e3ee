// The Secrets that the resources of a state manage: a plan reads them to say what has changed.
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { kubeErrors } from "@fairlead/kube";
import { isReleaseSecret } from "../../api-door/index.ts";
import type { Task } from "../../types.ts";
import type { TofuSpec } from "../types.ts";
import { stateSecretName } from "./names.ts";

export class ManagedSecrets {
  readonly #names = new Set<string>();
  readonly #releases: ((namespace: string, name: string) => boolean)[] = [];

  has(namespace: string, name: string): boolean {
    return this.#names.has(`${namespace}/${name}`) || this.#releases.some((isOf) => isOf(namespace, name));
  }

  /** Reads the state in the cluster. One that can't be read manages nothing, and OpenTofu says why. */
  async learn({ kube, spec, signal }: Pick<Task<TofuSpec>, "kube" | "spec" | "signal">): Promise<void> {
    const path = `/api/v1/namespaces/${spec.namespace}/secrets/${stateSecretName(spec)}`;
    const secret = await kube.request<Secret>({ path, signal }).catch((error: unknown) => {
      if (!kubeErrors.is(error, "KUBE_NOT_FOUND")) throw error;
      return undefined;
    });
    const state = await readState(secret?.data?.["tfstate"]);
    for (const { mode, type = "", instances = [] } of state?.resources ?? [])
      if (mode === "managed") for (const { attributes } of instances) this.#take(type, attributes ?? {});
  }

  #take(type: string, attributes: Attributes): void {
    const { name, namespace } = attributes;
    if (type === "helm_release") {
      if (isText(name))
        this.#releases.push(isReleaseSecret({ name, namespace: isText(namespace) ? namespace : "default" }));
      return;
    }
    for (const found of placesOf(type, attributes)) {
      if (isText(found?.name))
        this.#names.add(`${isText(found.namespace) ? found.namespace : "default"}/${found.name}`);
    }
  }
}

/** As the providers of Kubernetes keep them. */
function placesOf(type: string, attributes: Attributes): readonly (Place | undefined)[] {
  if (/^kubernetes_secret(?:_v1)?(?:_data)?$/.test(type)) return attributes.metadata ?? [];
  if (type === "kubernetes_manifest") {
    const { kind, metadata } = attributes.manifest?.value ?? {};
    return kind === "Secret" ? [metadata] : [];
  }
  return type === "kubectl_manifest" && attributes.kind === "Secret" ? [attributes] : [];
}

async function readState(packed: string | undefined): Promise<State | undefined> {
  if (packed === undefined) return undefined;
  try {
    return JSON.parse(String(await promisify(gunzip)(Buffer.from(packed, "base64"), { maxOutputLength: mostBytes })));
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

interface Place {
  readonly name?: unknown;
  readonly namespace?: unknown;
}

interface Attributes extends Place {
  readonly kind?: unknown;
  readonly metadata?: readonly Place[];
  readonly manifest?: { readonly value?: { readonly kind?: unknown; readonly metadata?: Place } };
}

interface State {
  readonly resources?: readonly {
    readonly mode?: string;
    readonly type?: string;
    readonly instances?: readonly { readonly attributes?: Attributes }[];
  }[];
}

interface Secret {
  readonly data?: Readonly<Record<string, string>>;
}

const mostBytes = 256 * 1024 * 1024;
