// Objects that agents without a cluster report.
import type { ReportedObject } from "./reporting-agent.ts";

/** By their places agents mean them. */
export const kinds = [
  { group: "", version: "v1", resource: "pods", kind: "Pod" },
  { group: "apps", version: "v1", resource: "deployments", kind: "Deployment" },
];

export function makePod(
  cluster: string,
  index: number,
  annotations?: Readonly<Record<string, string>>,
): ReportedObject {
  const tier = ["web", "api", "batch", "cache"][index % 4];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...describe(cluster, `pod-${index}`),
      labels: { app: `app-${index % 50}`, tier, team: `team-${index % 11}` },
      ...(annotations && { annotations }),
    },
    spec: {
      nodeName: `node-${index % 30}`,
      containers: [
        {
          name: "main",
          image: `registry.example/team/app-${index % 50}:1.2.3`,
          env: Array.from({ length: 8 }, (_, at) => ({ name: `SETTING_${at}`, value: "x".repeat(40) })),
          resources: { requests: { cpu: "100m", memory: "128Mi" } },
        },
      ],
    },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [{ name: "main", ready: true, restartCount: 0, state: { running: {} } }],
    },
  } as ReportedObject;
}

export function makeDeployment(cluster: string, generation: number): ReportedObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...describe(cluster, "web"), generation, labels: { app: "web" } },
    spec: { replicas: generation + 1 },
    status: { observedGeneration: generation, replicas: generation + 1 },
  } as ReportedObject;
}

function describe(cluster: string, name: string) {
  const creationTimestamp = new Date(Date.now() - 3_600_000).toISOString();
  return { uid: `${cluster}-${name}`, name, namespace: "default", creationTimestamp };
}
