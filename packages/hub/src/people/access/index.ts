export type { OidcSettings } from "./oidc/types.ts";
export { type AccessRoutes, createAccessRoutes } from "./routes.ts";
export { type AccessRoom, openAccess } from "./service.ts";
export type { Access, ClusterRequest, Decision, HubRequest, ImpersonationRequest, Principal } from "./types.ts";
