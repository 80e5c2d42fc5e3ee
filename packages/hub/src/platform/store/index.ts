export type { StoredCommandState } from "./command-tables.ts";
export { toDatabaseConnection } from "./database/open-database.ts";
export type { DatabaseOptions } from "./database/options.ts";
export { isStoreFailure, storeErrors } from "./errors.ts";
export type { GitopsLeftTable, GitopsObjectTable, GitopsSettingsTable } from "./gitops-tables.ts";
export { refuseOlderHub } from "./older-hubs.ts";
export { toStorableText } from "./storable-text.ts";
export { openStore } from "./store.ts";
export type { ClusterEventTable, ClusterTable, IdentityTable, JoinTokenTable, Tables } from "./tables.ts";
export { isUniqueViolation, toStoreError } from "./to-store-error.ts";
export {
  backupStore,
  copyStore,
  restoreStore,
  type StoreClient,
  type StoreLocation,
  type StoreSummary,
  useStore,
} from "./transfer/index.ts";
export type { Store, StoreOptions, Succession } from "./types.ts";
export { writeApart } from "./write-apart.ts";
