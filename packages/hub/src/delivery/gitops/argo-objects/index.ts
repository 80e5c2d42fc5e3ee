export { createArgoObjectRoutes } from "./routes.ts";
export { createArgoObjects } from "./service.ts";
