export { describeAlone } from "./roll-call.ts";
export { createHubRoutes } from "./routes.ts";
export { createHubs, type Hubs } from "./service.ts";
