export type { Addon, ChartInstall, Need } from "./addon.ts";
