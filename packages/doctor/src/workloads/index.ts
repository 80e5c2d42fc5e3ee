export { type EnvValue, readEnv } from "./env.ts";
export { parseCsv, readFlag, readSwitch } from "./flag.ts";
export { type ImageParts, isImage, parseImage } from "./image.ts";
export {
  type Container,
  type ContainerOfWorkload,
  containersOf,
  readWorkloads,
  type Workload,
  workloadResources,
} from "./workload.ts";
