export { createFailureLimit, type FailureLimit } from "./failure-limit.ts";
export { createRefreshRoutes, createSessionRoutes } from "./routes.ts";
export { toSession, toText, toWhoami } from "./show.ts";
