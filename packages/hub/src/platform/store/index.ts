export { toDatabaseConnection } from "./database/open-database.ts";
export type { DatabaseOptions } from "./database/options.ts";
export { isStoreFailure, isUniqueViolation } from "./errors.ts";
export { openStore } from "./store.ts";
export type { ClusterEventTable, ClusterTable, IdentityTable, JoinTokenTable, Tables } from "./tables.ts";
export { backupStore, copyStore, restoreStore, type StorePlace, type StoreSummary } from "./transfer/index.ts";
export type { Store, StoreOptions, Succession } from "./types.ts";
