export { packCharts } from "./charts.ts";
export { makeRelease } from "./make-release.ts";
export { packPackages } from "./packages.ts";
export { bundleCommand } from "./single-file/index.ts";
export { checkVersions } from "./versions.ts";
