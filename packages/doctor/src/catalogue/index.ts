export type { Addon, ChartInstall, Need } from "./addon.ts";
export { judgeVersion, type VersionStanding } from "./judge-version.ts";
