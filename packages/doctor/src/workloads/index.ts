export { claimsOf } from "./claims.ts";
export { type ConfigMounts, readConfigMounts } from "./config-mounts.ts";
export { parseCsv, readFlag, readGoFlag } from "./flag.ts";
export { type ImageParts, isImage, parseImage } from "./image.ts";
export { selectsLabels } from "./label-selector.ts";
export { type Container, readWorkloads, type Workload, workloadResources } from "./workload.ts";
