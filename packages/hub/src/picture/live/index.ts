export { liveErrors } from "./errors.ts";
export { createLive, type Live, type SubscribeToRuns } from "./service.ts";
export type { OpenSubscription, Subscriber } from "./socket.ts";
