import { type KubeClient, kubeErrors } from "@fairlead/kube";
import { identityErrors, storeFailed } from "./errors.ts";
import { formatStored, type IdentityStorage, parseStored, type StoredIdentity } from "./storage.ts";

interface Secret {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** A Secret in the agent's own namespace; the resource version tells when another replica wrote meanwhile. */
export function createSecretStorage(options: { client: KubeClient; name?: string }): IdentityStorage {
  const { client, name = "fairlead-agent-identity" } = options;
  const { namespace } = client.access;
  const place = `Secret ${namespace}/${name}`;
  const folder = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
  const path = `${folder}/${encodeURIComponent(name)}`;
  return { place, read: async () => contentOf(await find()), update };

  async function update(change: (current: StoredIdentity) => StoredIdentity): Promise<StoredIdentity> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const found = await find();
      const next = change(contentOf(found));
      const data = { ...found?.data, [member]: Buffer.from(formatStored(next)).toString("base64") };
      try {
        if (found) await client.request({ method: "PUT", path, body: { ...found, data } });
        else await client.request({ method: "POST", path: folder, body: newSecret(name, data) });
        return next;
      } catch (error) {
        if (!isConflict(error)) throw storeFailed(place, error);
      }
    }
    throw identityErrors.IDENTITY_STORE_CONTENDED({ place });
  }

  async function find(): Promise<Secret | undefined> {
    try {
      return await client.request<Secret>({ path });
    } catch (error) {
      if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return undefined;
      throw storeFailed(place, error);
    }
  }

  function contentOf(secret: Secret | undefined): StoredIdentity {
    const encoded = secret?.data?.[member];
    return encoded ? parseStored(Buffer.from(encoded, "base64").toString("utf8"), place) : {};
  }
}

function newSecret(name: string, data: Record<string, string>): unknown {
  const labels = { "app.kubernetes.io/managed-by": "fairlead-agent" };
  return { apiVersion: "v1", kind: "Secret", type: "Opaque", metadata: { name, labels }, data };
}

function isConflict(error: unknown): boolean {
  return kubeErrors.is(error, "KUBE_CONFLICT", "KUBE_ALREADY_EXISTS");
}

const member = "identity.json";
