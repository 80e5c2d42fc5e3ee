export { catalog, kubernetesVersion, type ToolName } from "./catalog.ts";
export { ensureTools, type ToolPaths } from "./ensure-tools.ts";
export { skipUnlessTools, unavailableReason } from "./skip.ts";
