export { type DataAge, dataAgeSchema, type KindState, type KindTrouble, type MissingKind } from "./age.ts";
export { createInventoryCalls, type InventoryCalls } from "./calls.ts";
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
export {
  type ClusterCapacity,
  type ClusterInventory,
  type ClusterInventoryList,
  type ClusterInventorySummary,
  type ConfirmClusterRequest,
  confirmClusterRequestSchema,
  type KindInfo,
  type KindInventory,
  type KindList,
  type ObjectChange,
  type ObjectChangeList,
  type ObjectChangeType,
  type Rollup,
  type RollupList,
} from "./overview.ts";
export {
  type ChangeQuery,
  changeQuerySchema,
  type ObjectFilter,
  type ObjectQuery,
  type ObjectSort,
  objectQuerySchema,
  type RollupQuery,
  rollupQuerySchema,
} from "./query.ts";
