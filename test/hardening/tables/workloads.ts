import { ago, condition, conditions, type KindShapes, type Shape, spans, vary } from "./vary.ts";

const templateOf = (spec: Shape = {}, labels: Shape = { app: "x" }): Shape => ({
  metadata: { labels },
  spec: { containers: [{ name: "main", image: "main:1" }], restartPolicy: "Always", ...spec },
});
const twoContainers = {
  containers: [
    { name: "main", image: "registry.example.com/main@sha256:0123" },
    { name: "side", image: "side:2" },
  ],
};
const templates: readonly Shape[] = [templateOf(), templateOf(twoContainers)];
const inTemplates = templates.map((template) => ({ spec: { template } }));

export const selectors: readonly Shape[] = [
  { matchLabels: { app: "x" } },
  { matchLabels: { zone: "z", app: "x" } },
  { matchExpressions: [{ key: "app", operator: "In", values: ["y", "x"] }] },
  {
    matchLabels: { app: "x", tier: "" },
    matchExpressions: [
      { key: "zone", operator: "NotIn", values: ["c", "a", "b"] },
      { key: "app", operator: "Exists" },
      { key: "old", operator: "DoesNotExist" },
      { key: "a", operator: "In", values: ["one"] },
    ],
  },
];
const inSelectors = selectors.map((selector) => ({ spec: { selector } }));
const replicas = [
  { spec: { replicas: 3 } },
  { spec: { replicas: 0 } },
  { spec: { replicas: 1 } },
  {},
  { spec: { replicas: 1_000 } },
];
const counts = [
  {},
  { status: { replicas: 3, readyReplicas: 2, updatedReplicas: 1, availableReplicas: 3 } },
  { status: { replicas: 4, readyReplicas: 4 } },
  { status: { updatedReplicas: 5, availableReplicas: 7 } },
];

export const workloadShapes: KindShapes = {
  "deployments.apps": vary(replicas, counts, inTemplates, inSelectors),
  "replicasets.apps": vary(replicas, counts, inTemplates, inSelectors),
  "statefulsets.apps": vary(replicas, counts, inTemplates, inSelectors),
  replicationcontrollers: vary(replicas, counts, inTemplates, [
    { spec: { selector: { app: "x" } } },
    { spec: { selector: { z: "1", app: "x" } } },
    {},
  ]),
  "daemonsets.apps": vary(
    [
      {},
      { status: { desiredNumberScheduled: 3, currentNumberScheduled: 2, numberReady: 1, numberMisscheduled: 9 } },
      { status: { updatedNumberScheduled: 4, numberAvailable: 5 } },
    ],
    inSelectors,
    [
      ...inTemplates,
      { spec: { template: templateOf({ nodeSelector: { "kubernetes.io/os": "linux", a: "b" } }) } },
      { spec: { template: templateOf({ nodeSelector: { gpu: "" } }) } },
    ],
  ),
  "jobs.batch": vary(
    [
      { spec: { completions: 3, parallelism: 1 } },
      { spec: { parallelism: 4 } },
      { spec: { parallelism: 1 } },
      { spec: { completions: 0, parallelism: 0 } },
      { spec: { completions: 1, parallelism: 1, suspend: true } },
    ],
    [
      {},
      { status: { succeeded: 1, startTime: ago(500) } },
      { status: { succeeded: 3, startTime: ago(90_000), completionTime: ago(1_000) } },
      { status: { startTime: ago(5) } },
      { status: { startTime: ago(200_000), completionTime: ago(199_990) } },
      { status: { startTime: ago(-20) } },
    ],
    [
      {},
      conditions(condition("Complete", "True"), condition("Failed", "False")),
      conditions(condition("Failed", "True")),
      conditions(condition("Suspended", "True")),
      conditions(condition("FailureTarget", "True"), condition("Suspended", "False")),
      conditions(condition("SuccessCriteriaMet", "True")),
      { metadata: { deletionTimestamp: ago(5), finalizers: ["example.com/held"] } },
    ],
    inTemplates,
    inSelectors,
  ),
  "cronjobs.batch": vary(
    [{ spec: { schedule: "0 3 * * *" } }, { spec: { schedule: "@hourly" } }],
    [{ spec: { timeZone: "Etc/UTC" } }, {}, { spec: { timeZone: "" } }],
    [{ spec: { suspend: true } }, { spec: { suspend: false } }, {}],
    [{}, { status: { active: [{ name: "a" }, { name: "b" }] } }],
    [{}, ...spans.map((seconds) => ({ status: { lastScheduleTime: ago(seconds) } }))],
    templates.map((template) => ({ spec: { jobTemplate: { spec: { template } } } })),
    [{}, ...selectors.map((selector) => ({ spec: { jobTemplate: { spec: { selector } } } }))],
  ),
  podtemplates: vary(
    [
      { template: templateOf() },
      { template: templateOf(twoContainers) },
      { template: { spec: twoContainers } },
      { template: templateOf({}, { z: "1", app: "x", empty: "" }) },
    ],
    [{ template: { spec: { dnsPolicy: "ClusterFirst" } } }],
  ),
  "controllerrevisions.apps": vary(
    [{ revision: 1 }, { revision: 0 }, { revision: 123_456_789 }],
    [
      {},
      owned([{ apiVersion: "apps/v1", kind: "StatefulSet", controller: true }]),
      owned([{ apiVersion: "v1", kind: "Pod", controller: true }]),
      owned([{ apiVersion: "apps/v1", kind: "DaemonSet" }]),
      owned([
        { apiVersion: "apps/v1", kind: "DaemonSet", controller: false },
        { apiVersion: "example.com/v1alpha1", kind: "BigSet", controller: true },
      ]),
    ],
    [{ data: {} }],
  ),
};

function owned(owners: readonly Shape[]): Shape {
  const ownerReferences = owners.map((owner, index) => ({ name: `owner-${index}`, uid: `uid-${index}`, ...owner }));
  return { metadata: { ownerReferences } };
}
