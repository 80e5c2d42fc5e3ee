// Pages as Secrets. The resource version lets one writer win.
import { type KubeClient, kubeErrors } from "@fairlead/kube";
import { createSecretRequests, expectedErrors } from "../request-secrets.ts";
import type { Page } from "./page.ts";

const pageLabel = "fairlead.dev/command-page";

export interface StoredPage {
  readonly page: Page;
  readonly resourceVersion: string;
}

export interface NamedPage extends StoredPage {
  readonly name: string;
}

export interface PageSecrets {
  /** Undefined where there is none. */
  read(name: string, signal?: AbortSignal): Promise<StoredPage | undefined>;
  /** Undefined when somebody else wrote meanwhile. */
  write(name: string, page: Page, over: StoredPage | undefined): Promise<StoredPage | undefined>;
  list(signal: AbortSignal): AsyncGenerator<NamedPage>;
}

export function createPageSecrets(client: KubeClient): PageSecrets {
  const { namespace } = client.access;
  const folder = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
  const request = createSecretRequests(client);
  return {
    async read(name, signal) {
      const secret = await unless(["KUBE_NOT_FOUND"], request<Secret>({ path: `${folder}/${name}`, signal }));
      return secret && toStored(secret);
    },

    async write(name, page, over) {
      const isEmpty = Object.keys(page.entries).length === 0 && !page.isClosed;
      const meant = over && { preconditions: { resourceVersion: over.resourceVersion } };
      const written = isEmpty && over ? remove(name, meant) : put(name, page, over?.resourceVersion);
      const metadata = await unless(expectedErrors, written);
      return metadata && { page, resourceVersion: metadata.resourceVersion ?? "" };
    },

    async *list(signal) {
      let next = "";
      do {
        const query = `labelSelector=${encodeURIComponent(pageLabel)}&limit=20&continue=${encodeURIComponent(next)}`;
        const found = await request<SecretList>({ path: `${folder}?${query}`, signal });
        for (const secret of found.items) yield { name: secret.metadata.name, ...toStored(secret) };
        next = found.metadata.continue ?? "";
      } while (next !== "");
    },
  };

  async function put(name: string, page: Page, resourceVersion: string | undefined): Promise<Metadata> {
    const labels = { "app.kubernetes.io/managed-by": "fairlead-agent", [pageLabel]: page.isClosed ? "closed" : "open" };
    const body = {
      apiVersion: "v1",
      kind: "Secret",
      type: "fairlead.dev/command-page",
      metadata: { name, labels, ...(resourceVersion !== undefined && { resourceVersion }) },
      data: Object.fromEntries(Object.entries(page.entries).map(([id, bytes]) => [id, bytes.toString("base64")])),
    };
    // The data was just sent, so the answer needs only the metadata.
    const headers = { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" };
    const written =
      resourceVersion === undefined
        ? request<Secret>({ method: "POST", path: folder, body, headers })
        : request<Secret>({ method: "PUT", path: `${folder}/${name}`, body, headers });
    return (await written).metadata;
  }

  async function remove(name: string, body: unknown): Promise<Partial<Metadata>> {
    await request({ method: "DELETE", path: `${folder}/${name}`, body });
    return {};
  }
}

async function unless<T>(codes: readonly (typeof expectedErrors)[number][], asked: Promise<T>): Promise<T | undefined> {
  return await asked.catch((error: unknown) => {
    if (kubeErrors.is(error, ...codes)) return undefined;
    throw error;
  });
}

function toStored({ metadata, data = {} }: Secret): StoredPage {
  const entries = Object.fromEntries(Object.entries(data).map(([id, text]) => [id, Buffer.from(text, "base64")]));
  const isClosed = metadata.labels?.[pageLabel] === "closed";
  return { page: { entries, isClosed }, resourceVersion: metadata.resourceVersion ?? "" };
}

interface Metadata {
  readonly name: string;
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

interface Secret {
  readonly metadata: Metadata;
  readonly data?: Readonly<Record<string, string>>;
}

interface SecretList {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly Secret[];
}
