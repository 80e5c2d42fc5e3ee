export { createFreshness, type Freshness } from "./freshness.ts";
export { createInventoryRpc } from "./rpc.ts";
export { type Inventory, openInventory } from "./service.ts";
export type {
  ChangeType,
  ClusterFreshness,
  CommittedChange,
  CopyAge,
  InventoryReader,
  KindAge,
  KindFreshness,
  KindInfo,
  ObjectNames,
  ObservedFacts,
  ObservedObject,
} from "./types.ts";
