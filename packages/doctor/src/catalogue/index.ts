export type { Addon, ChartInstall, Need } from "./addon.ts";
export { compareVersions, isOlder } from "./compare-versions.ts";
export { judgeVersion, type VersionStanding } from "./judge-version.ts";
