export { openStore, type Store, type StoreOptions, type Succession } from "./store.ts";
export type { ClusterEventTable, ClusterTable, IdentityTable, JoinTokenTable, Tables } from "./tables.ts";
