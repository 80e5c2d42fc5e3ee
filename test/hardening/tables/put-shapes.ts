// Brings shapes into a cluster: pods as their clients do, all others to where the API server keeps them, which takes a
// fraction of the time.
import { apiVersionOf } from "@fairlead/kube";
import type { TestCluster } from "@fairlead/testkit";
import { type BuiltInKind, findBuiltIn } from "../../../packages/hub/src/picture/tables/index.ts";
import type { PodShape } from "./pods.ts";
import { ago, type Shape, spans } from "./vary.ts";

const namespace = "shapes";

/** Returns the names of the objects. */
export async function putShapes(cluster: TestCluster, kind: string, shapes: readonly Shape[]): Promise<string[]> {
  const info = builtIn(kind);
  const objects = shapes.map((shape, index) => {
    const own = (shape["metadata"] ?? {}) as { readonly name?: string };
    const metadata = {
      creationTimestamp: ago(spans[index % spans.length] ?? 0),
      ...own,
      name: own.name ?? `${kind.replaceAll(".", "-")}-${index}`,
      ...(info.namespaced && { namespace }),
    };
    // Both groups of events have the same ones, and shapes are in the words of the older.
    const apiVersion = info.resource === "events" ? "v1" : apiVersionOf(info);
    return { ...shape, apiVersion, kind: info.kindName, metadata };
  });
  await cluster.putObjects(storedAs[kind] ?? info.resource, objects);
  return objects.map(({ metadata }) => metadata.name);
}

/** Creates pods, reports their status as a kubelet does, and deletes those that are to be held by a finalizer. */
export async function createPods({ api }: TestCluster, shapes: readonly PodShape[]): Promise<void> {
  const left = shapes.values();
  const worker = async (): Promise<void> => {
    for (const { metadata, spec, status, isDeleted } of left) {
      const body = { metadata: { ...metadata, finalizers: isDeleted ? ["example.com/held"] : [] }, spec };
      const created = await api.json<{ status: Shape }>({ method: "POST", path: podsPath, body });
      const path = `${podsPath}/${metadata.name}`;
      const reported = { ...created, status: { ...created.status, ...status } };
      await api.json({ method: "PUT", path: `${path}/status`, body: reported });
      if (isDeleted) await api.json({ method: "DELETE", path });
    }
  };
  const body = { metadata: { name: namespace } };
  await api.json({ method: "POST", path: "/api/v1/namespaces", body });
  await Promise.all(Array.from({ length: podsAtOnce }, worker));
}

export function builtIn(kind: string): BuiltInKind {
  const info = findBuiltIn(kind);
  if (!info) throw new Error(`Kubernetes has no ${kind}`);
  return info;
}

const podsPath = `/api/v1/namespaces/${namespace}/pods`;
const podsAtOnce = 4;

/** Kinds that the API server keeps under another name than their plural. */
const storedAs: Readonly<Record<string, string>> = {
  nodes: "minions",
  services: "services/specs",
  endpoints: "services/endpoints",
  replicationcontrollers: "controllers",
  "ingresses.networking.k8s.io": "ingress",
  "customresourcedefinitions.apiextensions.k8s.io": "apiextensions.k8s.io/customresourcedefinitions",
  "apiservices.apiregistration.k8s.io": "apiregistration.k8s.io/apiservices",
};
