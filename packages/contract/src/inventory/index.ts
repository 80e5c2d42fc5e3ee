export { type DataAge, dataAgeSchema, type KindState, type KindTrouble, type MissingKind } from "./age.ts";
export {
  type ObjectLiveMessage,
  type ObjectSubscribeRequest,
  objectLiveMessageSchema,
  objectSubscribeRequestSchema,
} from "./live.ts";
export {
  type Cell,
  type Health,
  healthNames,
  type KindTable,
  type ObjectDetail,
  type ObjectItem,
  type ObjectList,
  type ObjectRef,
  type TableColumn,
} from "./object.ts";
export { inventoryOperations } from "./operations.ts";
export type {
  ClusterCapacity,
  ClusterInventory,
  ClusterInventoryList,
  ClusterInventorySummary,
  ConfirmClusterRequest,
  KindInfo,
  KindInventory,
  KindList,
  ObjectChange,
  ObjectChangeList,
  ObjectChangeType,
  Rollup,
  RollupList,
} from "./overview.ts";
export type {
  ChangeQuery,
  ObjectFilter,
  ObjectQuery,
  ObjectSort,
  RollupQuery,
} from "./query.ts";
