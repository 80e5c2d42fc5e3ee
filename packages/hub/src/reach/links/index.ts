export { createLinkProofs } from "./proofs.ts";
export { createLinkRegistry, type LinkRegistry } from "./registry.ts";
export { createChallengeRoutes } from "./routes.ts";
export type { AddServices, CallingAgent } from "./rpc.ts";
export { toRpcError } from "./rpc-error.ts";
export {
  createLinkService,
  type LinkService,
  type LinkServiceOptions,
  type MovedAgent,
  type StrayConnection,
} from "./service.ts";
export type { Credential, HelloFacts, LinkList, LiveLink, RemoteLink } from "./types.ts";
