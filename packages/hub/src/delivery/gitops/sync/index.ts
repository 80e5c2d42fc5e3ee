export { createManagedApplications } from "./managed-applications.ts";
export type { EndsOptions, HubEnds, SyncLog } from "./types.ts";
