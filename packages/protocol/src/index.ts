export * from "./gen/fairlead/identity/v1/enroll_pb.ts";
export * from "./gen/fairlead/identity/v1/identity_pb.ts";
export * from "./gen/fairlead/link/v1/link_pb.ts";
export { dropHopByHop, dropNames, findHeader, hopByHopHeaders } from "./headers.ts";
export { createLinkBudget, type LinkBudget } from "./link/budget.ts";
export { closeCodes } from "./link/carrier.ts";
export { protocolVersions } from "./link/heads.ts";
export { defaultLinkLimits, type LinkLimits } from "./link/limits.ts";
export * from "./link/types.ts";
export {
  acceptLink,
  attachLink,
  type LinkOptions,
  linkPath,
  linkServerOptions,
  linkSocketOptions,
  linkSubprotocol,
} from "./link/ws-link.ts";
export { isRole, type Role, roles } from "./roles.ts";
export { createRpcAcceptor, type RpcAcceptorOptions } from "./rpc/acceptor.ts";
export { createLinkTransport, type LinkTransportOptions } from "./rpc/transport.ts";
