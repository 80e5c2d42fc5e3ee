export { createRecordingRoutes } from "./routes.ts";
export { openRecordings, type Recordings } from "./service.ts";
