export { type ApiClient, type ApiRequest, type ApiResponse, createApiClient } from "./api-request.ts";
export { type AppliedObject, applyObjects } from "./apply-objects.ts";
export { createAuthority, issueCertificate, type KeyPairPem } from "./certificates.ts";
export { type ClusterAccess, openCluster, type ServiceAccountRef } from "./cluster-access.ts";
export { type Component, startComponent } from "./component.ts";
export type { ComponentName } from "./components.ts";
export type { StoredObject } from "./put-objects.ts";
export { type CommandOptions, type CommandResult, runCommand } from "./run-command.ts";
export { clusterTools, type StartClusterOptions, startCluster, type TestCluster } from "./start-cluster.ts";
