export { createLinkBudget, type LinkBudget } from "./link/budget.ts";
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
export { createLinkTransport, createRpcAcceptor } from "./rpc-stub.ts";
