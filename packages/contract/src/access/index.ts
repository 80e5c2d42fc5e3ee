export {
  type AccessBinding,
  type AccessBindingList,
  accessBindingListSchema,
  accessBindingSchema,
  type BindingSubject,
  bindingTtlLimits,
  type ClusterChoice,
  type CreateBindingRequest,
  type CreatedBinding,
  createBindingRequestSchema,
  createdBindingSchema,
} from "./binding.ts";
export {
  type ConsideredBinding,
  type ExplainRequest,
  type Explanation,
  explanationSchema,
  type WhoCanAnswer,
  type WhoCanRequest,
  whoCanAnswerSchema,
} from "./explain.ts";
export { grantOperations } from "./grant-operations.ts";
export { subjectNameSchema } from "./names.ts";
export {
  type AuthMethods,
  authMethodsSchema,
  type DevicePending,
  type DeviceStart,
  type DeviceTokenRequest,
  devicePendingSchema,
  deviceStartSchema,
  type LogoutRequest,
  type OidcStartQuery,
  type OidcTokenRequest,
} from "./oidc.ts";
export {
  type AccessRequest,
  type AccessRequestList,
  type AccessRequestState,
  type ApproveAccessRequest,
  accessRequestTtlLimits,
  type CreateAccessRequest,
  type DenyAccessRequest,
} from "./request.ts";
export { accessRequestOperations } from "./request-operations.ts";
export {
  type CreateRobotRequest,
  type CreateRobotTokenRequest,
  type NewRobotToken,
  newRobotTokenSchema,
  type Robot,
  type RobotList,
  type RobotToken,
  robotListSchema,
  robotSchema,
  robotTokenTtlLimits,
  type TokenScope,
  tokenScopeSchema,
} from "./robot.ts";
export {
  type AccessRole,
  type AccessRoleList,
  accessRoleListSchema,
  accessRoleSchema,
  type ClusterRule,
  type HubRule,
  type Impersonation,
  type PutRoleRequest,
  putRoleRequestSchema,
} from "./role.ts";
export {
  type RefreshSessionRequest,
  type Session,
  type SessionInfo,
  type SessionList,
  sessionListSchema,
  sessionSchema,
} from "./session.ts";
export { browserOperations, signInOperations } from "./sign-in-operations.ts";
export { subjectOperations } from "./subject-operations.ts";
export { type User, type UserList, userListSchema } from "./user.ts";
