export { createDeclaredAccess } from "./declared/index.ts";
export type { OidcSettings } from "./oidc/index.ts";
export { createOwnRobot, type OwnRobot } from "./own-robots/index.ts";
export { isOneParty } from "./party.ts";
export type {
  AbsentAsker,
  ClusterRequest,
  Decision,
  HubRequest,
  ImpersonationRequest,
  Principal,
} from "./policy/index.ts";
export { type AccessRoutes, createAccessRoutes } from "./routes.ts";
export { type AccessOptions, type AccessRoom, type Ended, openAccess } from "./service.ts";
export { handOverFirstToken, newAdminToken } from "./tokens/index.ts";
export type { Access } from "./types.ts";
