export { createManagedEnds, type SharingSettings } from "./managed-ends.ts";
export type { EndsOptions, HubEnds, SyncLog } from "./types.ts";
