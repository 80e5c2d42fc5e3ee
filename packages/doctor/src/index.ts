export { catalogue } from "./addons/index.ts";
export type { Addon, ChartInstall, Need } from "./catalogue/index.ts";
export type { Check, CheckInput, Fix, HelmRelease, Verdict } from "./checks/index.ts";
export { type ClusterType, clusterTypes, findClusterType, type TypeFinding } from "./cluster-type/index.ts";
export type { ComponentSignal, FoundComponent, Installation, Presence, Provenance, Signals } from "./detect/index.ts";
export { type FeatureId, type FeatureReport, featureIds } from "./features/index.ts";
export {
  type InstallPlan,
  type InstallStep,
  type InstallWay,
  installErrors,
  type Mirrors,
  planInstall,
  toApplication,
} from "./install/index.ts";
export { fairlead, type PoolDemand, type Profile } from "./profiles/index.ts";
export {
  type AddonReport,
  type AddonState,
  type CheckReport,
  computeFeatures,
  type ExamineOptions,
  examineCluster,
  type Report,
} from "./report/index.ts";
export {
  builtInResources,
  type ClusterObject,
  type ConfigMapSighting,
  doctorErrors,
  type Evidence,
  type FromObjectsOptions,
  formatRef,
  type ObjectRef,
  refTo,
  resourceOf,
  type Sighting,
  Snapshot,
  type SnapshotParts,
  snapshotOfObjects,
} from "./snapshot/index.ts";
export {
  type Container,
  isImage,
  parseCsv,
  parseImage,
  readFlag,
  readWorkloads,
  type Workload,
} from "./workloads/index.ts";
