export type { HubConfig } from "./config/index.ts";
export { type Hub, type HubOptions, startHub } from "./hub.ts";
