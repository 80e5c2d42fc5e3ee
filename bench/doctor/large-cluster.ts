import { readdirSync } from "node:fs";
import { join } from "node:path";
import { applyStandIns, repoRoot, type StoredObject, type TestCluster } from "@fairlead/testkit";

/** Shares of all objects, as a cluster of some hundred nodes has them. */
const shares = { pods: 0.78, services: 0.1, deployments: 0.1, nodes: 0.02 } as const;

type Resource = keyof typeof shares;

/** Addons as they are installed, and workloads of people around them. */
export async function fillLargeCluster(cluster: TestCluster, objects: number): Promise<void> {
  await applyStandIns(cluster.api, listStandIns());
  for (const [resource, share] of Object.entries(shares) as [Resource, number][]) {
    const count = Math.round(objects * share);
    const all = Array.from({ length: count }, (_, index) => make[resource](index));
    await cluster.putObjects(resource, all, { isUnwatched: true });
  }
}

/** Each addon once. */
function listStandIns(): string[] {
  const root = join(repoRoot, "packages", "doctor", "stand-ins");
  return readdirSync(root).flatMap((addon) => {
    const [first] = readdirSync(join(root, addon)).sort();
    return first === undefined ? [] : [`${addon}/${first.replace(/\.yaml$/, "")}`];
  });
}

const make: Readonly<Record<Resource, (index: number) => StoredObject>> = {
  nodes: (index) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: named(`node-${index}`, undefined, index),
    spec: {},
    status: { capacity: sizes, allocatable: sizes, conditions: [{ type: "Ready", status: "True" }] },
  }),
  services: (index) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: named(`service-${index}`, "default", index),
    spec: { type: "ClusterIP", selector: { app: `app-${index}` }, ports: [{ port: 80, protocol: "TCP" }] },
  }),
  deployments: (index) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: named(`deployment-${index}`, "default", index),
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: `app-${index}` } },
      template: { metadata: { labels: { app: `app-${index}` } }, spec: podSpec(index) },
    },
    status: { replicas: 2, readyReplicas: 2, availableReplicas: 2 },
  }),
  pods: (index) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: named(`pod-${index}`, "default", index),
    spec: { nodeName: `node-${index % 100}`, ...podSpec(index) },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  }),
};

const sizes = { cpu: "8", memory: "32Gi", pods: "110" };

function named(name: string, namespace: string | undefined, index: number) {
  const labels = { app: `app-${index % 500}`, "eks.amazonaws.com/nodegroup": `group-${index % 11}` };
  return { name, labels, ...(namespace !== undefined && { namespace }) };
}

function podSpec(index: number) {
  return {
    containers: [
      {
        name: "main",
        image: `registry.example/team/app-${index % 500}:1.2.3`,
        args: ["--mode=production", "--listen=:8080"],
        env: Array.from({ length: 8 }, (_, at) => ({ name: `SETTING_${at}`, value: "x".repeat(40) })),
        resources: { requests: { cpu: "100m", memory: "128Mi" } },
      },
    ],
  };
}
