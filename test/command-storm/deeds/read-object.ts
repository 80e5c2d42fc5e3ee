import type { Ground } from "../harness.ts";

export interface ReadObject {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly holderIdentity?: string | null };
}

/** Reads `configmaps/NAME` in the ground's namespace. */
export async function readObject({ cluster, namespace }: Ground, path: string): Promise<ReadObject | undefined> {
  const answer = await cluster.api.send({ method: "GET", path: `/api/v1/namespaces/${namespace}/${path}` });
  return answer.status === 404 ? undefined : (JSON.parse(answer.text) as ReadObject);
}

export async function readSecrets({ cluster, namespace }: Ground, selector: string): Promise<readonly ReadObject[]> {
  const path = `/api/v1/namespaces/${namespace}/secrets?labelSelector=${encodeURIComponent(selector)}`;
  return (await cluster.api.json<{ items: ReadObject[] }>({ path })).items;
}

export async function readLeases({ cluster, namespace }: Ground): Promise<readonly ReadObject[]> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  return (await cluster.api.json<{ items: ReadObject[] }>({ path })).items;
}
