export { createInventorySync, type InventorySync, type InventorySyncOptions } from "./sync.ts";
export type { InventoryLinks, InventoryStats } from "./types.ts";
