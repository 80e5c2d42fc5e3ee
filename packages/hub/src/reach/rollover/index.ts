export { createRolloverRoutes } from "./routes.ts";
export { createRolloverService, type RolloverService } from "./service.ts";
