export { type Credential, createEntries, type KubeconfigEntries } from "./entries.ts";
export { leadsThroughHub } from "./leads-through-hub.ts";
export { mergeKubeconfig } from "./merge.ts";
export { mergeIntoFile, refreshFile, replaceFile } from "./write.ts";
