export { parseCsv, readFlag } from "./flag.ts";
export { type ImageParts, isImage, parseImage } from "./image.ts";
export { type Container, readWorkloads, type Workload, workloadResources } from "./workload.ts";
