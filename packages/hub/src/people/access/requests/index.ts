export { accessRequestErrors } from "./errors.ts";
export { type AccessRequestRecord, type AccessRequestStore, createAccessRequestStore } from "./store.ts";
export { sweepRequests } from "./sweep.ts";
export { type AccessRequestEvent, requestTimes, requirePending, stateAt, transition } from "./transition.ts";
