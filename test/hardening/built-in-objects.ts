// An object of most kinds that a new cluster has none of.
const named = (name: string): object => ({ metadata: { name, namespace: "default" } });
const wide = (name: string): object => ({ metadata: { name } });
const pod = { containers: [{ name: "main", image: "main:1" }] };
const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] }];
const webhook = {
  name: "a.example.com",
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  failurePolicy: "Ignore",
  rules,
  clientConfig: { url: "https://127.0.0.1:1/none" },
};
const matchConstraints = { resourceRules: rules };
const subjects = [
  { kind: "User", name: "ann", apiGroup: "rbac.authorization.k8s.io" },
  { kind: "Group", name: "team", apiGroup: "rbac.authorization.k8s.io" },
  { kind: "ServiceAccount", name: "bot", namespace: "default" },
];

export const builtInObjects: readonly object[] = [
  { apiVersion: "v1", kind: "Pod", ...named("lone"), spec: pod },
  {
    apiVersion: "v1",
    kind: "ReplicationController",
    ...named("old"),
    spec: { replicas: 0, selector: { app: "old" }, template: { metadata: { labels: { app: "old" } }, spec: pod } },
  },
  { apiVersion: "v1", kind: "PodTemplate", ...named("template"), template: { spec: pod } },
  { apiVersion: "v1", kind: "LimitRange", ...named("limits"), spec: { limits: [] } },
  { apiVersion: "v1", kind: "ResourceQuota", ...named("quota"), spec: { hard: { pods: "9" } } },
  { apiVersion: "v1", kind: "PersistentVolumeClaim", ...named("claim"), spec: claimSpec() },
  {
    apiVersion: "v1",
    kind: "Service",
    ...named("headless"),
    spec: { clusterIP: "None", selector: { app: "x" } },
  },
  { apiVersion: "v1", kind: "Endpoints", ...named("empty") },
  { apiVersion: "apps/v1", kind: "DaemonSet", ...named("every"), spec: workload("every") },
  { apiVersion: "batch/v1", kind: "CronJob", ...named("hourly"), spec: cronSpec() },
  { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", ...named("all"), spec: { podSelector: {} } },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    ...wide("plain"),
    spec: { controller: "example.com/c" },
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    ...named("none"),
    addressType: "IPv4",
    endpoints: [],
    ports: [],
  },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", ...named("reader"), rules: [] },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    ...named("readers"),
    subjects,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
  },
  { apiVersion: "coordination.k8s.io/v1", kind: "Lease", ...named("free"), spec: {} },
  { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", ...wide("high"), value: 9 },
  { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", ...wide("gvisor"), handler: "runsc" },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    ...wide("attached"),
    spec: { attacher: "csi.example.com", nodeName: "columns-node-0", source: { persistentVolumeName: "pv" } },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    ...wide("csi.example.com"),
    spec: { tokenRequests: [{ audience: "a" }] },
  },
  { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", ...wide("plain.example.com"), spec: {} },
  { apiVersion: "storage.k8s.io/v1", kind: "CSINode", ...wide("elsewhere"), spec: { drivers: [] } },
  { apiVersion: "storage.k8s.io/v1", kind: "CSIStorageCapacity", ...named("room"), storageClassName: "fast" },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttributesClass",
    ...wide("gold"),
    driverName: "d",
    parameters: { a: "b" },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    ...wide("m"),
    webhooks: [webhook],
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    ...wide("v"),
    webhooks: [],
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    ...wide("check"),
    spec: {
      matchConstraints,
      validations: [{ expression: "true" }],
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    ...wide("checked"),
    spec: {
      policyName: "check",
      validationActions: ["Warn"],
      paramRef: { name: "p", parameterNotFoundAction: "Allow" },
    },
  },
  { apiVersion: "resource.k8s.io/v1", kind: "DeviceClass", ...wide("gpu"), spec: {} },
  { apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", ...named("one"), spec: claimOfDevice() },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaimTemplate",
    ...named("some"),
    spec: { spec: claimOfDevice() },
  },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    ...wide("slice"),
    spec: {
      driver: "gpu.example.com",
      nodeName: "columns-node-0",
      pool: { name: "pool", generation: 1, resourceSliceCount: 1 },
      devices: [{ name: "gpu-0" }],
    },
  },
  {
    apiVersion: "storagemigration.k8s.io/v1beta1",
    kind: "StorageVersionMigration",
    ...wide("move"),
    spec: { resource: { group: "apps", resource: "deployments" } },
  },
];

function workload(app: string): object {
  return { selector: { matchLabels: { app } }, template: { metadata: { labels: { app } }, spec: pod } };
}

function claimSpec(): object {
  return { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
}

function cronSpec(): object {
  const template = { spec: { ...pod, restartPolicy: "Never" } };
  return { schedule: "0 * * * *", suspend: true, jobTemplate: { spec: { template } } };
}

function claimOfDevice(): object {
  return { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu" } }] } };
}
