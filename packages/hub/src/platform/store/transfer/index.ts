export { backupStore, copyStore, restoreStore } from "./commands.ts";
export type { StoreLocation } from "./locations.ts";
export type { StoreSummary } from "./records.ts";
export { type StoreClient, useStore } from "./use-store.ts";
