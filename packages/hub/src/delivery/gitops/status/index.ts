export { createGitopsStatusRoutes } from "./routes.ts";
export { createGitopsStatuses } from "./service.ts";
export { createGitopsStatusStore } from "./store.ts";
export { createStatusTeller, type StatusTeller } from "./teller.ts";
