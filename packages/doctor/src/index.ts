export type { Addon, ChartInstall, ComponentSignal, Need, Signals } from "./catalogue/index.ts";
export type { Check, CheckInput, Evidence, Fix, HelmRelease, Verdict } from "./checks/index.ts";
export { type ClusterType, clusterTypes } from "./cluster-type/index.ts";
export type { FoundComponent, Installation, Presence, Provenance } from "./detect/index.ts";
export { type FeatureId, featureIds } from "./features/index.ts";
export { fairlead, type PoolDemand, type Profile } from "./profiles/index.ts";
export type { AddonReport, AddonState, CheckReport, FeatureReport, Report, TypeFinding } from "./report/index.ts";
export {
  builtInResources,
  type ClusterObject,
  type ConfigMapSighting,
  doctorErrors,
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
