export { createHubFetch } from "./http.ts";
export { isCaOutdated, learnCa } from "./learn-ca.ts";
export { type LiveSocket, openLiveSocket } from "./live-socket.ts";
export { fingerprintOf, pinCa } from "./pin-ca.ts";
export { type CallTimes, createTimedFetch } from "./timed.ts";
