export { socketErrors } from "./errors.ts";
export { collectGarbage, tuneGarbageCollection } from "./garbage-collection.ts";
export { LinkSessions } from "./link-sessions.ts";
export { type FirstMessage, type ReceiveSocketOptions, receiveSocket } from "./receive-socket.ts";
export type { DialAgain } from "./redial.ts";
export { TurnShare } from "./turn-share.ts";
export {
  acceptLink,
  attachLink,
  hubLinkPath,
  type LinkOptions,
  linkPath,
  linkServerOptions,
  linkSocketOptions,
  linkSubprotocol,
} from "./ws-link.ts";
