export {
  createDeletionHolds,
  type DeletionHolds,
  guardTopic,
  type KeptDeletions,
} from "./guard/index.ts";
export { createKeptOperations, type KeptOperations } from "./kept-operations.ts";
export { openEnds } from "./open-ends.ts";
export type { EndsOptions, HubEnds, MirrorPolicy, SharingSettings, SyncLog } from "./types.ts";
