export type { Addon, ChartInstall, ComponentSignal, Need, Signals } from "./addon.ts";
