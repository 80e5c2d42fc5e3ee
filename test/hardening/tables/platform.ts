import { ago, agoExactly, condition, conditions, type KindShapes, merge, type Shape, spans, vary } from "./vary.ts";

const labelled = (labels: Shape): Shape => ({ metadata: { labels } });
const about = (involvedObject: Shape): Shape => ({ involvedObject: { namespace: "shapes", ...involvedObject } });

const eventParts: readonly (readonly Shape[])[] = [
  [
    {},
    ...spans.map((seconds) => ({ firstTimestamp: ago(seconds + 60), lastTimestamp: ago(seconds) })),
    { firstTimestamp: ago(4_000) },
    { eventTime: agoExactly(200) },
    { eventTime: agoExactly(5_000), series: { count: 7, lastObservedTime: agoExactly(80) } },
    { lastTimestamp: ago(30), series: { count: 0, lastObservedTime: null } },
  ],
  [{}, { count: 12 }, { count: 1 }],
  [{ type: "Normal" }, { type: "Warning" }, {}],
  [{ reason: "Started" }, {}],
  [
    about({ kind: "Pod", name: "x", fieldPath: "spec.containers{main}" }),
    about({ kind: "ReplicaSet" }),
    about({ kind: "StorageClass", name: "Fast" }),
  ],
  [
    {},
    { source: { component: "kubelet", host: "one" } },
    { source: { component: "scheduler" }, reportingComponent: "other", reportingInstance: "other-1" },
    { reportingComponent: "controller", reportingInstance: "controller-0" },
    { source: { host: "two" } },
  ],
  [{ message: "  Started it\n" }, { message: "one\ntwo" }, {}],
];

export const platformShapes: KindShapes = {
  events: vary(...eventParts),
  "events.events.k8s.io": vary(...eventParts.map((list) => list.toReversed())),
  nodes: vary(
    [
      conditions(condition("Ready", "True")),
      conditions(condition("MemoryPressure", "True"), condition("Ready", "False")),
      conditions(condition("Ready", "Unknown")),
      conditions(condition("DiskPressure", "False")),
      {},
    ],
    [{}, { spec: { unschedulable: true } }],
    [
      {},
      labelled({ "node-role.kubernetes.io/worker": "" }),
      labelled({ "node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": "x" }),
      labelled({ "kubernetes.io/role": "master", "node-role.kubernetes.io/": "" }),
      labelled({ "kubernetes.io/role": "", "node-role.kubernetes.io/a": "" }),
      labelled({ "kubernetes.io/role": "a", "node-role.kubernetes.io/a": "" }),
    ],
    [
      {},
      { status: { nodeInfo: nodeInfo({ kubeletVersion: "v1.36.3", osImage: "Linux 1", kernelVersion: "6.1" }) } },
      { status: { nodeInfo: nodeInfo({ architecture: "arm64", containerRuntimeVersion: "containerd://2.0" }) } },
      { status: { nodeInfo: nodeInfo({ architecture: "amd64", kernelVersion: "6.8", kubeletVersion: "v1.35.0" }) } },
    ],
    [
      {},
      { status: { addresses: [{ type: "InternalIP", address: "10.0.0.9" }] } },
      {
        status: {
          addresses: [
            { type: "Hostname", address: "one" },
            { type: "ExternalIP", address: "192.0.2.1" },
            { type: "InternalIP", address: "fd00::9" },
            { type: "InternalIP", address: "10.0.0.9" },
            { type: "ExternalIP", address: "192.0.2.2" },
          ],
        },
      },
    ],
  ),
  namespaces: vary(
    [{ status: { phase: "Active" } }, { status: { phase: "Terminating" } }, {}],
    [{ spec: { finalizers: ["kubernetes"] } }],
  ),
  configmaps: vary(
    [{}, { data: { a: "1" } }, { data: { a: "1", b: "" } }, { data: {} }],
    [{}, { binaryData: { c: "AAEC" } }, { binaryData: { c: "AAEC", d: "" } }],
    [{}, { immutable: true }],
  ),
  secrets: vary(
    [{ type: "Opaque" }, {}, { type: "kubernetes.io/tls" }, { type: "example.com/token" }],
    [{}, { data: { a: "MQ==" } }, { data: { a: "MQ==", b: "", c: null } }],
  ),
  serviceaccounts: vary([{}, { secrets: [{ name: "a" }] }, { imagePullSecrets: [{ name: "b" }] }]),
  limitranges: vary([{ spec: { limits: [] } }, { spec: { limits: [{ type: "Pod", max: { cpu: "2" } }] } }]),
  resourcequotas: vary(
    [
      {},
      { status: { hard: { pods: "100" } } },
      { status: { hard: { "limits.cpu": "4", "requests.memory": "8Gi", "limits.memory": "16384Mi", cpu: "0.5" } } },
      { status: { hard: { "count/jobs.batch": "5", "count/jobs.batch2": "6", limits: "1", "limits.a/b": "2" } } },
      { status: { hard: { "requests.storage": "1Ti", "fast.storageclass.storage.k8s.io/requests.storage": "5e3" } } },
    ],
    [
      {},
      { status: { used: { pods: "3", "limits.cpu": "1500m", "requests.memory": "1Gi", cpu: "0" } } },
      { status: { used: { "count/jobs.batch": "2", services: "9" } } },
    ],
    [{ spec: { hard: { pods: "7" } } }],
  ),
  "apiservices.apiregistration.k8s.io": vary(
    [
      { spec: { service: { namespace: "away", name: "metrics", port: 443 }, insecureSkipTLSVerify: true } },
      { spec: { service: { namespace: "away", name: "other", port: 443 }, insecureSkipTLSVerify: true } },
    ],
    [
      {},
      conditions(condition("Available", "True", "Passed")),
      conditions(condition("Available", "False", "MissingEndpoints")),
      conditions(condition("Available", "Unknown", "")),
    ],
    [{ spec: { groupPriorityMinimum: 10, versionPriority: 10 } }],
  ).map(nameApiService),
};

/** An APIService is named after what it serves. */
function nameApiService(shape: Shape, index: number): Shape {
  const spec = { group: `served${index}.example.com`, version: "v1" };
  return merge(shape, { metadata: { name: `v1.${spec.group}` }, spec });
}

function nodeInfo(some: Shape): Shape {
  const names = ["machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion"];
  const others = ["kubeletVersion", "kubeProxyVersion", "operatingSystem", "architecture"];
  return { ...Object.fromEntries([...names, ...others].map((name) => [name, ""])), ...some };
}
