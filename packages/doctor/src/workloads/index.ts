export { claimsOf } from "./claims.ts";
export { type ConfigMounts, readConfigMounts } from "./config-mounts.ts";
export { type EnvValue, readEnv } from "./env.ts";
export { parseCsv, readFlag, readGoFlag, readSwitch } from "./flag.ts";
export { type ImageParts, isImage, parseImage } from "./image.ts";
export { selectsLabels } from "./label-selector.ts";
export { type LabelledPod, readLabelledPods } from "./labelled-pods.ts";
export { podsOf, seenPodsOf } from "./pods-of.ts";
export {
  type Container,
  type ContainerOfWorkload,
  containersOf,
  readWorkloads,
  runningWorkloads,
  type Workload,
  workloadResources,
} from "./workload.ts";
