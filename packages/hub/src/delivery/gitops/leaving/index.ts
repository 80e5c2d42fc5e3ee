export { letApplicationsGo } from "./let-go.ts";
export { createLeavingRoutes } from "./routes.ts";
export { createLeaving } from "./service.ts";
export { createLeavingStore } from "./store.ts";
