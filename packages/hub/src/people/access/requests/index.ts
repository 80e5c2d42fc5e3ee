export { createAccessRequestRoutes } from "./routes.ts";
export { createAccessRequests } from "./service.ts";
export { type AccessRequestStore, createAccessRequestStore } from "./store.ts";
export { sweepRequests } from "./sweep.ts";
