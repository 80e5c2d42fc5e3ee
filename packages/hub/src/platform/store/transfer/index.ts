export { backupStore, copyStore, restoreStore } from "./commands.ts";
export type { StorePlace } from "./places.ts";
export type { StoreSummary } from "./records.ts";
export { type StoreClient, useStore } from "./use-store.ts";
