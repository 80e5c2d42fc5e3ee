import { type KindShapes, type Shape, vary } from "./vary.ts";

const deleted = { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["example.com/held"] } };
const modes: readonly Shape[] = [
  { accessModes: ["ReadWriteOnce"] },
  { accessModes: ["ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce", "ReadOnlyMany"] },
  { accessModes: ["ReadWriteOncePod"] },
  {},
];
const classes: readonly Shape[] = [
  { spec: { storageClassName: "fast" } },
  {},
  { spec: { storageClassName: "" } },
  annotated("volume.beta.kubernetes.io/storage-class", "old"),
  { ...annotated("volume.beta.kubernetes.io/storage-class", "old"), spec: { storageClassName: "fast" } },
];
const attributes = [{}, { spec: { volumeAttributesClassName: "gold" } }, { spec: { volumeAttributesClassName: "" } }];
const volumeModes = [{ spec: { volumeMode: "Block" } }, { spec: { volumeMode: "Filesystem" } }, {}];
const phases = [
  ...["Available", "Bound", "Released", "Failed", "Pending"].map((phase) => ({ status: { phase } })),
  {},
  deleted,
];

export const storageShapes: KindShapes = {
  persistentvolumes: vary(
    phases,
    [
      { spec: { capacity: { storage: "1Gi" } } },
      { spec: { capacity: { storage: "1024Mi" } } },
      { spec: { capacity: { storage: "0.5T" } } },
      { spec: { capacity: { storage: "1500000000" } } },
      {},
    ],
    modes.map((spec) => ({ spec })),
    [{ spec: { persistentVolumeReclaimPolicy: "Delete" } }, {}],
    [{ spec: { claimRef: { namespace: "team", name: "data" } } }, {}],
    classes,
    attributes,
    volumeModes,
    [{}, { status: { reason: "VolumeFailedDelete" } }],
    [{ spec: { hostPath: { path: "/nowhere" } } }],
  ),
  persistentvolumeclaims: vary(
    [{ status: { phase: "Pending" } }, { status: { phase: "Bound" } }, { status: { phase: "Lost" } }, deleted],
    [{ spec: { volumeName: "disk" } }, {}, { spec: { volumeName: "disk" } }],
    [{ status: { capacity: { storage: "5Gi" } } }, {}, { status: { capacity: { storage: "5120Mi" } } }],
    modes.map((status) => ({ status })),
    classes,
    attributes,
    volumeModes,
    [{ spec: { resources: { requests: { storage: "3Gi" } } } }],
  ),
  "storageclasses.storage.k8s.io": vary(
    [{ provisioner: "example.com/fast" }],
    [
      {},
      annotated("storageclass.kubernetes.io/is-default-class", "true"),
      annotated("storageclass.beta.kubernetes.io/is-default-class", "true"),
      annotated("storageclass.kubernetes.io/is-default-class", "false"),
      annotated("ingressclass.kubernetes.io/is-default-class", "true"),
    ],
    [{}, { reclaimPolicy: "Retain" }, { reclaimPolicy: "Delete" }],
    [{}, { volumeBindingMode: "WaitForFirstConsumer" }],
    [{}, { allowVolumeExpansion: true }, { allowVolumeExpansion: false }],
  ),
  "volumeattachments.storage.k8s.io": vary(
    [{ spec: { attacher: "csi.example.com", nodeName: "one" } }],
    [{ spec: { source: { persistentVolumeName: "disk" } } }, { spec: { source: {} } }],
    [{ status: { attached: true } }, { status: { attached: false } }, {}],
  ),
  "volumeattributesclasses.storage.k8s.io": vary(
    [{ driverName: "csi.example.com" }, { driverName: "other.example.com" }],
    [{ parameters: { iops: "3000" } }, {}],
  ),
  "csinodes.storage.k8s.io": vary([
    { spec: { drivers: [] } },
    { spec: { drivers: [driver("a")] } },
    { spec: { drivers: [driver("a"), driver("b"), driver("c")] } },
  ]),
  "csidrivers.storage.k8s.io": vary(
    [{ spec: { attachRequired: true } }, { spec: { attachRequired: false } }, { spec: {} }],
    [{}, { spec: { podInfoOnMount: true } }],
    [{ spec: { storageCapacity: true } }, {}, { spec: { storageCapacity: false } }],
    [
      {},
      { spec: { tokenRequests: [{ audience: "a" }] } },
      { spec: { tokenRequests: [{ audience: "" }, { audience: "b" }] } },
    ],
    [{}, { spec: { requiresRepublish: true } }],
    [{}, { spec: { volumeLifecycleModes: ["Persistent", "Ephemeral"] } }, { spec: { volumeLifecycleModes: [] } }],
  ),
  "csistoragecapacities.storage.k8s.io": vary(
    [{ storageClassName: "fast" }, { storageClassName: "slow" }],
    [{}, { capacity: "10Gi" }, { capacity: "0" }],
  ),
};

function annotated(name: string, value: string): Shape {
  return { metadata: { annotations: { [name]: value } } };
}

function driver(name: string): Shape {
  return { name: `${name}.example.com`, nodeID: "one", topologyKeys: null };
}
