export { type ApiClient, type ApiRequest, type ApiResponse, createApiClient } from "./api-request.ts";
export { type AppliedObject, applyObjects } from "./apply-objects.ts";
export { createAuthority, issueCertificate, type KeyPairPem } from "./certificates.ts";
export { type ClusterAccess, openCluster, type ServiceAccountRef } from "./cluster-access.ts";
export { type Component, startComponent } from "./component.ts";
export type { ComponentName } from "./components.ts";
export { backUpEtcd, restoreEtcd } from "./etcd-backup.ts";
export {
  compareEtcd,
  type EtcdDifference,
  type EtcdState,
  isDifferent,
  putBackEtcd,
  readEtcd,
  readRevision,
} from "./etcd-state.ts";
export { isServing } from "./is-serving.ts";
export { readRecord } from "./layout.ts";
export { prepareNodes } from "./nodes.ts";
export type { StoredObject } from "./put-objects.ts";
export { renameCluster } from "./rename-cluster.ts";
export { type CommandOptions, type CommandResult, runCommand } from "./run-command.ts";
export { clusterTools, type StartClusterOptions, startCluster, type TestCluster } from "./start-cluster.ts";
