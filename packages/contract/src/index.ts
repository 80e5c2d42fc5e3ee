export {
  type AuditList,
  type AuditListQuery,
  type AuditQuery,
  type AuditRecord,
  type AuditVerification,
  type AuditWho,
  auditListQuerySchema,
  auditListSchema,
  auditPaths,
  auditQuerySchema,
  auditRecordSchema,
  auditVerificationSchema,
  type Recording,
  type RecordingList,
  type RecordingListQuery,
  recordingListQuerySchema,
  recordingListSchema,
  recordingSchema,
} from "./audit/index.ts";
export {
  type Cluster,
  type ClusterList,
  type ClusterState,
  clusterListSchema,
  clusterSchema,
  clusterStateSchema,
} from "./cluster.ts";
export {
  type ClusterDetail,
  type ClusterEvent,
  type ClusterEventLevel,
  type ClusterIdentity,
  type ClusterLink,
  clusterDetailSchema,
  clusterEventSchema,
  clusterIdentitySchema,
  clusterLinkSchema,
} from "./cluster-detail.ts";
export {
  type CreateClusterRequest,
  type CreateClusterResponse,
  createClusterRequestSchema,
  createClusterResponseSchema,
  type RevokeClusterRequest,
  revokeClusterRequestSchema,
} from "./cluster-requests.ts";
export {
  type CallOptions,
  createHubClient,
  type HubClient,
  type HubClientOptions,
  type HubFetch,
  type HubFetchAnswer,
  type HubFetchInit,
} from "./hub-client.ts";
export { HubError, hubUnreachable } from "./hub-error.ts";
export {
  type CreateJoinTokenRequest,
  createJoinTokenRequestSchema,
  type Join,
  joinSchema,
  tokenTtlLimits,
  tokenTtlMsSchema,
} from "./join.ts";
export { createOpenApi, type JsonObject } from "./openapi.ts";
export { paths } from "./paths.ts";
export { clusterNameSchema, type Labels, labelsSchema, timestampSchema } from "./primitives.ts";
export { problemContentType, problemSchema } from "./problem.ts";
export { type Role, roleNames, roleSchema, rolesSchema } from "./role.ts";
export { type HubVersion, hubVersionSchema } from "./version.ts";
export { type Whoami, whoamiSchema } from "./whoami.ts";
