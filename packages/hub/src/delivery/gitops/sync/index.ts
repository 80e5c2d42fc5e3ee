export {
  createDeletionHolds,
  type DeletionHolds,
  guardTopic,
  type KeptDeletions,
} from "./guard/index.ts";
export type { SharingSettings } from "./managed/index.ts";
export { openEnds } from "./open-ends.ts";
export type { EndsOptions, HubEnds, SyncLog } from "./types.ts";
