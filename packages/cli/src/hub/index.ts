export { createHubFetch } from "./http.ts";
export { type LiveSocket, openLiveSocket } from "./live-socket.ts";
export { fingerprintOf, pinCa } from "./pin-ca.ts";
export { type CallTimes, createTimedFetch } from "./timed.ts";
