import type { ClusterObject } from "../snapshot/index.ts";

export interface DeploymentOptions {
  readonly name: string;
  readonly image: string;
  readonly component?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A Deployment in the namespace `somewhere`, whose pods are ready and carry the label `app`. */
export function deployment(options: DeploymentOptions): ClusterObject {
  const { name, image, component, labels = {}, annotations = {} } = options;
  const ofPods = { app: name, ...(component !== undefined && { "app.kubernetes.io/component": component }) };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "somewhere", labels, annotations },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: ofPods }, spec: { containers: [{ name: "main", image }] } },
    },
    status: { replicas: 1, readyReplicas: 1 },
  };
}
