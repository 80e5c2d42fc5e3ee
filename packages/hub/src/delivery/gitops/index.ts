export { argoRole, argoTokenTtlMs } from "./cluster-secrets/index.ts";
export { type GitopsRoom, openGitops } from "./open.ts";
export { openResourceTrees } from "./resource-tree/index.ts";
export { createGitopsSettingsStore } from "./settings/index.ts";
export { createSharedBackends, readSharedTargets } from "./shared-backends/index.ts";
