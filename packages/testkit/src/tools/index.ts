export { catalog, kubernetesVersion, type ToolName } from "./catalog.ts";
export { ensureTools, type ToolPaths } from "./ensure-tools.ts";
