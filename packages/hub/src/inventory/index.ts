export { createFreshness, type Freshness } from "./freshness.ts";
export { createInventoryRpc } from "./rpc.ts";
export { type Inventory, openInventory } from "./service.ts";
export type {
  ChangeType,
  ClusterFacts,
  ClusterFreshness,
  CommittedChange,
  InventoryReader,
  KindFreshness,
  KindInfo,
  ObservedObject,
} from "./types.ts";
