// Changes to a cluster's objects, many at once. Names are chosen by the caller; what is there already or gone already
// is fine, so that changes can be drawn by lot.
import type { ClusterAccess } from "@fairlead/testkit";

/** Runs them with so many under way at a time; the first failure fails all. */
export async function doInParallel<T>(
  items: readonly T[],
  run: (item: T) => Promise<unknown>,
  atOnce = 32,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await run(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** The folder of a kind in a namespace, as requests name it. */
export function pathOf(kind: "configmaps" | "pods" | "events", namespace: string): string {
  return `/api/v1/namespaces/${namespace}/${kind}`;
}

export async function create(cluster: ClusterAccess, path: string, object: object): Promise<void> {
  await send(cluster, { method: "POST", path, body: object }, [200, 201, 202, 409]);
}

export async function patch(cluster: ClusterAccess, path: string, body: object): Promise<void> {
  const contentType = "application/merge-patch+json";
  await send(cluster, { method: "PATCH", path, body, contentType }, [200, 404]);
}

export async function remove(cluster: ClusterAccess, path: string): Promise<void> {
  await send(cluster, { method: "DELETE", path: `${path}?gracePeriodSeconds=0` }, [200, 202, 404]);
}

export function configMap(name: string, data: Readonly<Record<string, string>> = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

export function widget(apiVersion: string, name: string, spec: object): object {
  return { apiVersion, kind: "Widget", metadata: { name }, spec };
}

export function pod(name: string): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { automountServiceAccountToken: false, containers: [{ name: "main", image: "example.com/main" }] },
  };
}

async function send(
  cluster: ClusterAccess,
  request: Parameters<ClusterAccess["api"]["send"]>[0],
  fine: readonly number[],
): Promise<void> {
  const { status, text } = await cluster.api.send({ ...request, timeoutMs: 60_000 });
  if (!fine.includes(status)) throw new Error(`${request.method} ${request.path}: ${status} ${text.slice(0, 500)}`);
}
