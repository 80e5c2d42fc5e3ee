export { createRecordingRoutes } from "./routes.ts";
export { openRecordings, type Recordings } from "./service.ts";
export type { SessionTap } from "./types.ts";
