export { createStatusReporter, type StatusReporter } from "./reporter.ts";
export { createGitopsStatusRoutes } from "./routes.ts";
export { createGitopsStatuses } from "./service.ts";
export { createGitopsStatusStore } from "./store.ts";
