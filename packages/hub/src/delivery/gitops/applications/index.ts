export { listOnce } from "./list-once.ts";
export { createApplicationRoutes } from "./routes.ts";
export { createApplications } from "./service.ts";
