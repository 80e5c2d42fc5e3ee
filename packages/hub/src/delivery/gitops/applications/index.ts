export { createApplicationRoutes } from "./routes.ts";
export { createApplications } from "./service.ts";
