export { createDeletionHolds, guardTopic } from "./deletion-guard-store.ts";
export type { SharingSettings } from "./managed-ends.ts";
export { openEnds } from "./open-ends.ts";
export type { EndsOptions, HubEnds, SyncLog } from "./types.ts";
