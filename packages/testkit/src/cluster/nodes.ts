import { waitUntil } from "@fairlead/kernel/testing";
import { processNotReady } from "../errors.ts";
import { kubernetesVersion } from "../tools/index.ts";
import type { ApiClient } from "./api-request.ts";

/** All of kwok's pods get addresses from here; nothing ever connects to one (see tools/podserver). */
export const podCidr = "10.64.0.0/10";

/** Longer than a busy machine takes. */
export const readyTimeoutMs = 180_000;

interface NodeList {
  readonly items: readonly { readonly status: { readonly conditions?: readonly { type: string; status: string }[] } }[];
}

interface NodesOptions {
  readonly api: ApiClient;
  readonly clusterName: string;
  readonly count: number;
  readonly signal?: AbortSignal | undefined;
}

/** Makes nodes, and waits until pods can be created. */
export async function prepareNodes(options: NodesOptions): Promise<void> {
  await createNodes(options);
  await waitForNodes(options);
}

/** Records that kwok keeps alive as if they were machines. */
export async function createNodes({ api, clusterName, count }: NodesOptions): Promise<void> {
  for (let index = 0; index < count; index++) {
    const body = node({ name: `${clusterName}-node-${index}`, cidr: cidrOf(index, count), kubernetesVersion });
    await api.json({ method: "POST", path: "/api/v1/nodes", body });
  }
}

/** Until the nodes are Ready and pods can be created in the default namespace. */
export async function waitForNodes({ api, clusterName, count, signal }: NodesOptions): Promise<void> {
  const isReady = async () => {
    const { items } = await api.json<NodeList>({ path: "/api/v1/nodes" });
    const ready = items.filter(({ status }) =>
      status.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
    );
    if (ready.length < count) return false;
    return (await api.send({ path: "/api/v1/namespaces/default/serviceaccounts/default" })).status === 200;
  };
  if (await waitUntil(isReady, { timeoutMs: readyTimeoutMs, intervalMs: 50, signal })) return;
  throw processNotReady(`cluster ${clusterName}`, readyTimeoutMs, "See the logs of kwok and kube-controller-manager.");
}

/** kwok hands out pod addresses beyond the end of a /24, so nodes get a /16 each, or a /20 where there are many. */
function cidrOf(index: number, count: number): string {
  if (count <= 64) return `10.${64 + index}.0.0/16`;
  return `10.${64 + Math.floor(index / 16)}.${(index % 16) * 16}.0/20`;
}

function node(options: { name: string; cidr: string; kubernetesVersion: string }): object {
  const { name, cidr, kubernetesVersion } = options;
  const resources = { cpu: "32", memory: "256Gi", "ephemeral-storage": "1Ti", pods: "20000" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "node-role.kubernetes.io/worker": "",
        type: "kwok",
      },
    },
    spec: { podCIDR: cidr, podCIDRs: [cidr] },
    status: {
      allocatable: resources,
      capacity: resources,
      nodeInfo: {
        kubeletVersion: kubernetesVersion,
        architecture: "amd64",
        operatingSystem: "linux",
        osImage: "kwok",
        bootID: "",
        containerRuntimeVersion: "",
        kernelVersion: "",
        kubeProxyVersion: "",
        machineID: "",
        systemUUID: "",
      },
    },
  };
}
