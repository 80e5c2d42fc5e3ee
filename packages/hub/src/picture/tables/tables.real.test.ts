import { createKubeClient, Fields, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { type LeasedCluster, leaseCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatAge } from "./columns.ts";
import { findPrinter } from "./index.ts";

let cluster: LeasedCluster;
let client: KubeClient;

beforeAll(async () => {
  cluster = await leaseCluster({ name: "tables", nodes: 2 });
  client = createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) });
  await cluster.kubectl(["apply", "--server-side", "-f", "-"], { input: JSON.stringify(definition) });
  await cluster.kubectl(["wait", "--for=condition=Established", "crd/ships.example.com", "--timeout=60s"]);
  for (const object of objects) await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) });
  await cluster.kubectl(["wait", "--for=condition=Available", "deployment/web", "--timeout=60s"]);
  await cluster.kubectl(["cordon", "tables-node-1"]).catch(() => undefined);
}, 180_000);

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

test.each([
  ["pods", "/api/v1/pods"],
  ["nodes", "/api/v1/nodes"],
  ["namespaces", "/api/v1/namespaces"],
  ["services", "/api/v1/services"],
  ["configmaps", "/api/v1/configmaps"],
  ["secrets", "/api/v1/secrets"],
  ["events", "/api/v1/events"],
  ["persistentvolumes", "/api/v1/persistentvolumes"],
  ["persistentvolumeclaims", "/api/v1/persistentvolumeclaims"],
  ["resourcequotas", "/api/v1/resourcequotas"],
  ["limitranges", "/api/v1/limitranges"],
  ["deployments.apps", "/apis/apps/v1/deployments"],
  ["replicasets.apps", "/apis/apps/v1/replicasets"],
  ["statefulsets.apps", "/apis/apps/v1/statefulsets"],
  ["daemonsets.apps", "/apis/apps/v1/daemonsets"],
  ["jobs.batch", "/apis/batch/v1/jobs"],
  ["cronjobs.batch", "/apis/batch/v1/cronjobs"],
  ["endpointslices.discovery.k8s.io", "/apis/discovery.k8s.io/v1/endpointslices"],
  ["ingresses.networking.k8s.io", "/apis/networking.k8s.io/v1/ingresses"],
  ["ingressclasses.networking.k8s.io", "/apis/networking.k8s.io/v1/ingressclasses"],
  ["storageclasses.storage.k8s.io", "/apis/storage.k8s.io/v1/storageclasses"],
  ["horizontalpodautoscalers.autoscaling", "/apis/autoscaling/v2/horizontalpodautoscalers"],
  ["poddisruptionbudgets.policy", "/apis/policy/v1/poddisruptionbudgets"],
  ["apiservices.apiregistration.k8s.io", "/apis/apiregistration.k8s.io/v1/apiservices"],
  ["customresourcedefinitions.apiextensions.k8s.io", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"],
  ["ships.example.com", "/apis/example.com/v1/ships"],
])("%s are shown as kubectl shows them", async (kind, path) => {
  const isOurs = kind === "ships.example.com";
  const printer = findPrinter(kind, isOurs ? definition.spec.versions[0]?.additionalPrinterColumns : undefined);

  const table = await client.request<Table>({
    path: `${path}?includeObject=Object`,
    headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  });

  const shape = (column: { name: string; priority: number }): string => `${column.name} ${column.priority}`;
  expect(table.rows.length).toBeGreaterThan(0);
  expect(printer.columns.map(shape)).toEqual(table.columnDefinitions.map(shape));
  const nowMs = Date.now();
  for (const { cells, object } of table.rows) {
    const ours = printer.cells(new Fields(object), nowMs).map((cell, index) => {
      const isDate = printer.columns[index]?.type === "date";
      // A definition's date and a limit range's are given as dates, all others as ages.
      if (isDate && typeof cells[index] === "string" && /^\d{4}-/.test(cells[index])) return cell;
      return isDate && typeof cell === "string" ? formatAge(cell, nowMs) : cell;
    });
    expect(ours.map(toComparable)).toEqual(cells.map(toComparable));
  }
});

/** Spans run on between the two looks, and nothing is a blank. */
function toComparable(cell: unknown): unknown {
  if (cell === null) return "";
  if (typeof cell === "boolean") return String(cell);
  return typeof cell === "string" ? cell.replace(/\b\d+s\b/g, "SPAN").replace(/\b\d+m\d*s?\b/g, "SPAN") : cell;
}

interface Table {
  readonly columnDefinitions: { name: string; priority: number }[];
  readonly rows: { readonly cells: unknown[]; readonly object: unknown }[];
}

const template = (name: string, spec: object = {}): object => ({
  metadata: { labels: { app: name } },
  spec: { containers: [{ name: "main", image: `${name}:1` }], ...spec },
});
const selector = (name: string): object => ({ matchLabels: { app: name } });

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "ships.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "ships", singular: "ship", kind: "Ship", shortNames: ["sh"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        additionalPrinterColumns: [
          { name: "Port", type: "string", jsonPath: ".spec.port" },
          { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: "Crew", type: "integer", jsonPath: ".spec.crew" },
          { name: "Afloat", type: "boolean", jsonPath: ".spec.afloat" },
          { name: "Team", type: "string", jsonPath: ".metadata.labels.example\\.com/team" },
          { name: "First", type: "string", jsonPath: ".spec.cargo[0]", priority: 1 },
          { name: "Launched", type: "date", jsonPath: ".spec.launched" },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
      },
    ],
  },
};

const objects: readonly object[] = [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { replicas: 2, selector: selector("web"), template: template("web") },
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db" },
    spec: { serviceName: "db", replicas: 1, selector: selector("db"), template: template("db") },
  },
  {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "every" },
    spec: {
      selector: {
        matchLabels: { app: "every" },
        matchExpressions: [{ key: "app", operator: "In", values: ["every"] }],
      },
      template: template("every", { nodeSelector: { "kubernetes.io/os": "linux" } }),
    },
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "once" },
    spec: { template: template("once", { restartPolicy: "Never" }) },
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "later" },
    spec: { suspend: true, completions: 3, template: template("later", { restartPolicy: "Never" }) },
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "nightly" },
    spec: {
      schedule: "0 3 * * *",
      timeZone: "Etc/UTC",
      jobTemplate: { spec: { template: template("nightly", { restartPolicy: "Never" }) } },
    },
  },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "stuck" },
    spec: {
      nodeSelector: { nowhere: "true" },
      containers: [{ name: "a", image: "a" }],
      initContainers: [{ name: "side", image: "s", restartPolicy: "Always" }],
    },
  },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "gated" },
    spec: {
      schedulingGates: [{ name: "example.com/wait" }],
      readinessGates: [{ conditionType: "example.com/ready" }],
      containers: [{ name: "a", image: "a" }],
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "balanced" },
    spec: {
      type: "LoadBalancer",
      selector: { app: "web" },
      ports: [
        { port: 80, name: "a" },
        { port: 53, protocol: "UDP", name: "b" },
      ],
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "away" },
    spec: { type: "ExternalName", externalName: "example.com" },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "headless" },
    spec: { clusterIP: "None", ports: [{ port: 1 }] },
  },
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings" },
    data: { a: "1", b: "2" },
    binaryData: { c: "AAEC" },
  },
  { apiVersion: "v1", kind: "Secret", metadata: { name: "secret" }, stringData: { a: "1" } },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "disk" },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
      hostPath: { path: "/nowhere" },
    },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "claim" },
    spec: { storageClassName: "none", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } } },
  },
  {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "quota" },
    spec: { hard: { pods: "100", "limits.cpu": "4", "requests.memory": "8Gi" } },
  },
  {
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "range" },
    spec: { limits: [{ type: "Pod", max: { cpu: "2" } }] },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name: "edge" },
    spec: { controller: "example.com/edge" },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "web" },
    spec: {
      ingressClassName: "edge",
      tls: [{ hosts: ["a.example.com"] }],
      rules: ["a", "b", "c", "d"].map((host) => ({ host: `${host}.example.com` })),
    },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "all" },
    spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "fast", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: "example.com/fast",
    allowVolumeExpansion: true,
  },
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 3,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
        { type: "Pods", pods: { metric: { name: "rps" }, target: { type: "AverageValue", averageValue: "10" } } },
        { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
      ],
    },
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web" },
    spec: { minAvailable: "50%", selector: selector("web") },
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "one" },
    spec: { maxUnavailable: 1, selector: selector("db") },
  },
  {
    apiVersion: "example.com/v1",
    kind: "Ship",
    metadata: { name: "anna", labels: { "example.com/team": "blue" } },
    spec: { port: "Kiel", crew: 3, afloat: true, cargo: ["tea", "tin"], launched: "2026-01-01T00:00:00Z" },
    status: {
      conditions: [
        { type: "Other", status: "False" },
        { type: "Ready", status: "True" },
      ],
    },
  },
  { apiVersion: "example.com/v1", kind: "Ship", metadata: { name: "bare" }, spec: {} },
];
