import { ago, condition, conditions, type KindShapes, type Shape, spans, vary } from "./vary.ts";

const pool = (total: number, rest: Shape = {}): Shape => ({
  driver: "gpu.example.com",
  poolName: `pool-${total}`,
  generation: 1,
  totalDevices: total,
  ...rest,
});
const reference = { podGroupTemplateRef: { workload: { workloadName: "train", podGroupTemplateName: "workers" } } };
const claim = { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu" } }] } };
const claims = vary([{ spec: claim }, { spec: { devices: {} } }]);
const allocation = { devices: { results: [] } };
const served = (...versions: readonly string[]): Shape => ({
  status: {
    storageVersions: versions.map((encodingVersion, index) => ({ apiServerID: `server-${index}`, encodingVersion })),
  },
});
const group = (scope: string): Shape => ({
  spec: {
    scope,
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

export const machineryShapes: KindShapes = {
  "leases.coordination.k8s.io": vary([
    { spec: { holderIdentity: "one_123" } },
    { spec: {} },
    { spec: { holderIdentity: "" } },
    {},
  ]),
  "leasecandidates.coordination.k8s.io": vary(
    [{ spec: { leaseName: "scheduler", binaryVersion: "1.36.0", strategy: "OldestEmulationVersion" } }, { spec: {} }],
    [{ spec: { emulationVersion: "1.35.0" } }, {}],
  ),
  "priorityclasses.scheduling.k8s.io": vary(
    [{ value: 0 }, { value: -5 }, { value: 1_000_000_000 }],
    [{}, { globalDefault: true }, { globalDefault: false }],
    [{}, { preemptionPolicy: "Never" }],
  ),
  "workloads.scheduling.k8s.io": vary([{ spec: { podGroupTemplates: [] } }]),
  "podgroups.scheduling.k8s.io": vary(
    [{ spec: { schedulingPolicy: { basic: {} } } }, { spec: { schedulingPolicy: { gang: { minCount: 3 } } } }],
    [{ spec: reference }, {}],
    [
      {},
      conditions(condition("PodGroupScheduled", "True")),
      conditions(condition("PodGroupScheduled", "False")),
      conditions(condition("PodGroupScheduled", "True"), condition("DisruptionTarget", "True", "Preempted")),
      conditions(condition("DisruptionTarget", "False", "Spared")),
    ],
  ),
  "runtimeclasses.node.k8s.io": vary([{ handler: "runsc" }, { handler: "kata" }]),
  "flowschemas.flowcontrol.apiserver.k8s.io": vary(
    [{ spec: { matchingPrecedence: 9_000 } }, { spec: {} }],
    [
      { spec: { priorityLevelConfiguration: { name: "global-default" } } },
      { spec: { priorityLevelConfiguration: { name: "none" } } },
    ],
    [
      {},
      { spec: { distinguisherMethod: { type: "ByUser" } } },
      { spec: { distinguisherMethod: { type: "ByNamespace" } } },
    ],
  ),
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": vary(
    [{ spec: { type: "Limited" } }],
    [
      { spec: { limited: { nominalConcurrencyShares: 1 } } },
      { spec: { limited: { nominalConcurrencyShares: 0 } } },
      { spec: { limited: {} } },
    ],
    [
      { spec: { limited: { limitResponse: { type: "Reject" } } } },
      {
        spec: {
          limited: { limitResponse: { type: "Queue", queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } } },
        },
      },
      {
        spec: {
          limited: { limitResponse: { type: "Queue", queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } } },
        },
      },
    ],
  ),
  "storageversions.internal.apiserver.k8s.io": vary(
    [{}, served("v1"), served("v1", "v1", "v1"), served("v1", "v2", "v3", "v4", "v5"), served()],
    [{}, { status: { commonEncodingVersion: "v1" } }],
    [{ spec: {} }],
  ),
  "storageversionmigrations.storagemigration.k8s.io": vary(
    [{ spec: { resource: { group: "apps", resource: "deployments" } } }, { spec: { resource: { resource: "pods" } } }],
    [
      {},
      conditions(condition("Running", "True")),
      conditions(condition("Running", "False"), condition("Succeeded", "True")),
      conditions(condition("Failed", "True"), condition("Running", "True")),
      conditions(condition("Other", "True"), condition("Failed", "False")),
    ],
  ),
  "customresourcedefinitions.apiextensions.k8s.io": vary([group("Namespaced"), group("Cluster")]).map(nameDefinition),
  "deviceclasses.resource.k8s.io": vary([{ spec: {} }]),
  "resourceclaimtemplates.resource.k8s.io": claims.map((spec) => ({ spec })),
  "resourceclaims.resource.k8s.io": vary(
    claims,
    [
      {},
      { status: { allocation } },
      { status: { allocation, reservedFor: [{ resource: "pods", name: "x", uid: "u" }] } },
      { status: { reservedFor: [{ resource: "pods", name: "x", uid: "u" }] } },
    ],
    [{}, { metadata: { deletionTimestamp: ago(60), finalizers: ["example.com/held"] } }],
  ),
  "resourceslices.resource.k8s.io": vary(
    [{ spec: { driver: "gpu.example.com", pool: { name: "pool", generation: 1, resourceSliceCount: 1 } } }],
    [{ spec: { nodeName: "one" } }, { spec: { allNodes: true } }],
    [{ spec: { devices: [{ name: "gpu-0" }] } }, {}],
  ),
  "devicetaintrules.resource.k8s.io": vary(
    [{ spec: { taint: { key: "example.com/broken", effect: "NoExecute" } } }],
    [{ spec: { taint: { value: "yes" } } }, {}],
    spans.map((seconds) => ({ spec: { taint: { timeAdded: ago(seconds) } } })),
  ),
  "resourcepoolstatusrequests.resource.k8s.io": vary(
    [{ spec: { driver: "gpu.example.com" } }],
    [
      {},
      { status: {} },
      { status: { poolCount: 0 } },
      {
        status: { poolCount: 2, pools: [pool(8, { availableDevices: 3, allocatedDevices: 4, unavailableDevices: 1 })] },
      },
      { status: { poolCount: 1, pools: [pool(2, { validationError: "broken" })] } },
      { status: { poolCount: 2, pools: [pool(1), pool(5, { availableDevices: 5 })] } },
    ],
    [
      {},
      conditions(condition("Complete", "True")),
      conditions(condition("Failed", "True")),
      conditions(condition("Complete", "False"), condition("Failed", "False")),
    ],
  ),
};

/** A definition is named after what it defines. */
function nameDefinition(shape: Shape, index: number): Shape {
  const plural = `shapes${index}`;
  const names = { plural, singular: `shape${index}`, kind: `Shape${index}`, listKind: `Shape${index}List` };
  const spec = { ...(shape["spec"] as Shape), group: "shapes.example.com", names };
  return { metadata: { name: `${plural}.shapes.example.com` }, spec };
}
