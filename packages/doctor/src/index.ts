export { catalogue } from "./addons/index.ts";
export { type Addon, type ChartInstall, judgeVersion, type Need, type VersionStanding } from "./catalogue/index.ts";
export type { Check, CheckInput, ClusterCheck, ClusterInput, Fix, HelmRelease, Verdict } from "./checks/index.ts";
export { type ClusterType, clusterTypes, findClusterType, type TypeFinding } from "./cluster-type/index.ts";
export type { ComponentSignal, FoundComponent, Installation, Presence, Provenance, Signals } from "./detect/index.ts";
export { type FeatureId, type FeatureReport, featureIds } from "./features/index.ts";
export {
  type Backend,
  type Claim,
  type ClaimingGateway,
  type ClusterGateways,
  type Domain,
  type DomainsOptions,
  type Duplicate,
  type DuplicateAcross,
  domainsOf,
  findDuplicates,
  findDuplicatesAcross,
  type Gateway,
  gatewayChecks,
  type Listener,
  type ListenerTls,
  type NewService,
  type NewServiceUrl,
  readAllGateways,
  readGateways,
  servesAnnotation,
  urlOfNewService,
} from "./gateways/index.ts";
export {
  type InstallPlan,
  type InstallStep,
  type InstallWay,
  installErrors,
  type Mirrors,
  planInstall,
  toApplication,
} from "./install/index.ts";
export { type ConfigMapName, type Needed, resourcesNeeded } from "./needs/index.ts";
export { type CheckOwner, checkOwners } from "./pages/index.ts";
export {
  type Amounts,
  autoscalerStatus,
  type Fit,
  type FitConstraints,
  type FitQuestion,
  type GpuStock,
  type Growth,
  type Misfit,
  type NodePool,
  type PoolNode,
  type PoolSource,
  type Purpose,
  poolChecks,
  type Requirement,
  type Running,
  readGpus,
  readNodePools,
  type Taint,
  type Toleration,
  type Trait,
  wouldFit,
} from "./pools/index.ts";
export {
  builtInProfiles,
  fairlead,
  type GatewayPreference,
  type PoolDemand,
  type Profile,
  parseProfile,
  profileErrors,
  profileJsonSchema,
  truefoundry,
} from "./profiles/index.ts";
export {
  type AddonReport,
  type AddonState,
  allChecks,
  type CheckReport,
  computeFeatures,
  type ExamineOptions,
  examineCluster,
  type Fitness,
  judgeFitness,
  type Report,
  type Shortfall,
} from "./report/index.ts";
export {
  builtInResources,
  type ClusterObject,
  type ConfigMapSighting,
  doctorErrors,
  type Evidence,
  type FromObjectsOptions,
  formatRef,
  type Look,
  type ObjectRef,
  type ObjectSource,
  refTo,
  resourceOf,
  type Sighting,
  Snapshot,
  type SnapshotParts,
  snapshotOfObjects,
} from "./snapshot/index.ts";
export { readStorageClasses, type StorageClass, storageChecks } from "./storage/index.ts";
export {
  type Container,
  isImage,
  parseCsv,
  parseImage,
  readFlag,
  readWorkloads,
  type Workload,
} from "./workloads/index.ts";
