export { kubernetesVersion, type ToolName } from "./catalog.ts";
export { type DebianProgram, ensureDebianProgram } from "./debian-program.ts";
export { ensureTools, type ToolPaths } from "./ensure-tools.ts";
export { ensureNpmPackage, type NpmPackage } from "./npm-package.ts";
export { ensureOldKubectl } from "./old-kubectl.ts";
export { ensurePostgres } from "./postgres.ts";
export { ensurePythonClient, type PythonClient } from "./python.ts";
export { unavailableReason } from "./unavailable.ts";
