export { createWelcomedLinks, type WelcomedLinks } from "./links.ts";
export { createInventorySync, type InventorySync, type InventorySyncOptions, inventoryCapability } from "./sync.ts";
export type { InventoryLinks, InventoryStats } from "./types.ts";
