// The objects that fill the benchmark's cluster.

export type BenchKind = "configmaps" | "pods" | "widgets";

export const changeAnnotation = "bench.fairlead.example/change";
export const widgetGroup = "bench.fairlead.example";
export const benchNamespaces = 20;
export const benchNodes = 5;

const namespaceOf = (index: number): string => `bench-${index % benchNamespaces}`;

/** Where the object of this number is created. */
export function collectionPath(kind: BenchKind, index: number): string {
  return `${kindPath(kind)}/namespaces/${namespaceOf(index)}/${kind}`;
}

/** All objects of a kind: `?` and a query may follow. */
export function listPath(kind: BenchKind): string {
  return `${kindPath(kind)}/${kind}`;
}

export function makeObject(kind: BenchKind, index: number): object {
  const metadata = { name: `${kind}-${index}`, labels: { app: `app-${index % 50}`, part: `part-${index % 7}` } };
  switch (kind) {
    case "configmaps":
      return { metadata, data: { "settings.yaml": "x".repeat(500), mode: `mode-${index % 3}` } };
    case "widgets":
      return { apiVersion: `${widgetGroup}/v1`, kind: "Widget", metadata, spec: { size: index, color: "blue" } };
    case "pods":
      return { metadata, spec: podSpec(index) };
  }
}

function kindPath(kind: BenchKind): string {
  return kind === "widgets" ? `/apis/${widgetGroup}/v1` : "/api/v1";
}

/** On a node already: the scheduler's work isn't what is measured. */
function podSpec(index: number): object {
  return {
    nodeName: `bench-node-${index % benchNodes}`,
    containers: [
      {
        name: "main",
        image: "registry.example/team/service:1.2.3",
        env: [{ name: "MODE", value: "production" }],
        resources: { requests: { cpu: "10m", memory: "16Mi" } },
      },
    ],
  };
}

export const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.${widgetGroup}` },
  spec: {
    group: widgetGroup,
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        },
      },
    ],
  },
};
