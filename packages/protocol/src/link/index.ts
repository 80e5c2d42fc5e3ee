export { createBudgetShare, createLinkBudget, type LinkBudget } from "./budget.ts";
export { closeCodes } from "./carrier.ts";
export { collectGarbage, tuneGarbageCollection } from "./garbage-collection.ts";
export { protocolVersions } from "./heads.ts";
export { defaultLinkLimits, type LinkLimits } from "./limits.ts";
export { createPlaces, type Places } from "./places.ts";
export type { DialAgain } from "./redial.ts";
export type { PeerStreams } from "./session.ts";
export { type FirstMessage, LinkSessions, type ReceiveSocketOptions, receiveSocket } from "./sessions.ts";
export { TurnShare } from "./turn-share.ts";
export * from "./types.ts";
export {
  acceptLink,
  attachLink,
  type LinkOptions,
  linkPath,
  linkServerOptions,
  linkSocketOptions,
  linkSubprotocol,
} from "./ws-link.ts";
