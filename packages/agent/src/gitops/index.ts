export { gitopsErrors } from "./errors.ts";
export type { GitopsStats } from "./stats.ts";
export { createGitopsSync, type GitopsSync, type GitopsSyncOptions } from "./sync.ts";
export type { ArgoSetup } from "./types.ts";
