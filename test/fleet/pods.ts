import { waitUntil } from "@fairlead/kernel/testing";
import type { Fleet } from "./start-fleet.ts";

/** A pod that runs on a kwok node; commands executed in it are local processes. */
export async function runPod(
  { cluster, namespace }: Pick<Fleet, "cluster" | "namespace">,
  name: string,
  container = "main",
): Promise<void> {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: { containers: [{ name: container, image: "demo" }] },
  };
  const path = `/api/v1/namespaces/${namespace.name}/pods`;
  await cluster.api.json({ method: "POST", path, body: pod });
  const isReady = async () => {
    const { status } = await cluster.api.json<SeenPod>({ path: `${path}/${name}` });
    return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
  };
  if (!(await waitUntil(isReady, { timeoutMs: 60_000, intervalMs: 100 })))
    throw new Error(`the pod ${name} isn't ready`);
}

interface SeenPod {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}
