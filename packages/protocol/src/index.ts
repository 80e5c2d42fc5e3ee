export { argoCaller, isArgoCaller } from "./argo-caller.ts";
export { capabilities } from "./capabilities.ts";
export {
  approvalEnvelopeType,
  type CommandEnvelope,
  type CommandKind,
  commandKinds,
  type EnvelopeApproval,
  type EnvelopeProposal,
  envelopeType,
  envelopeTypeOf,
  isCommandKind,
  parseCommandEnvelope,
  proposalEnvelopeType,
} from "./command-envelope.ts";
export {
  enrollPath,
  formatEnrollRequest,
  formatEnrollResponse,
  parseEnrollRequest,
  parseEnrollResponse,
} from "./enrollment.ts";
export * from "./gen/fairlead/commands/v1/commands_pb.ts";
export {
  type AgentHello,
  AgentHelloSchema,
  type ClusterRules,
  ClusterRulesSchema,
  GitopsService,
  type HubHello,
  HubHelloSchema,
  type KindAbility,
  type ReplicaBatch,
  type ReplicaMessage,
  type ReplicateRequest,
  ReplicateRequestSchema,
  type ReplicateResponse,
  ReplicateResponseSchema,
} from "./gen/fairlead/gitops/v1/gitops_pb.ts";
export {
  type CachedApplication,
  CachedPart,
  type ReadClusterInfoRequest,
  type ReadClusterInfoResponse,
  type ReadRequest,
  type ReadResponse,
  ResourceTreeService,
  type WatchRequest,
} from "./gen/fairlead/gitops/v1/resource_tree_pb.ts";
export { SharedBackend, SharedBackendService } from "./gen/fairlead/gitops/v1/shared_backend_pb.ts";
export type { EnrollRequest, EnrollResponse } from "./gen/fairlead/identity/v1/enroll_pb.ts";
export * from "./gen/fairlead/identity/v1/identity_pb.ts";
export * from "./gen/fairlead/inventory/v1/inventory_pb.ts";
export * from "./gen/fairlead/link/v1/link_pb.ts";
export * from "./gitops/index.ts";
export { dropHopByHop, dropNames, findHeader, hopByHopHeaders } from "./headers.ts";
export { hubCodes } from "./hub-codes.ts";
export * from "./inventory.ts";
export * from "./link/index.ts";
export {
  formatLinkProof,
  type LinkChallenge,
  type LinkProof,
  linkCertificateHeader,
  linkChallengePath,
  linkProofBytes,
  linkProofHeader,
  parseLinkProof,
} from "./link-proof.ts";
export { linkRolesHeader } from "./link-roles.ts";
export { toLoggablePath } from "./loggable-path.ts";
export { MeteredStream } from "./metered-stream.ts";
export { nodeHttp } from "./node-http.ts";
export * from "./replica/index.ts";
export { isRole, type Role, roles } from "./roles.ts";
export * from "./rpc/index.ts";
