export { createExplainRoutes } from "./routes.ts";
