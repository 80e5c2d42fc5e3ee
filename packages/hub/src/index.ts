export { type Hub, type HubOptions, startHub } from "./hub.ts";
export type { HubConfig } from "./platform/config/index.ts";
