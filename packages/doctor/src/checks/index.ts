export { allowConfigMap } from "./allow-config-map.ts";
export { changeArgument } from "./change-argument.ts";
export { type Check, type CheckInput, type ClusterCheck, type ClusterInput, judgeCheck } from "./check.ts";
export { everywhere } from "./everywhere.ts";
export { few } from "./few.ts";
export { fixBy } from "./fix-by.ts";
export { judgeClaims } from "./judge-claims.ts";
export { type Endpoint, findEndpoint, judgeEndpoint } from "./judge-endpoint.ts";
export { listNames } from "./list-names.ts";
export { type KubectlOptions, kubectl, type Script, script, type Words } from "./script.ts";
export {
  destructive,
  type Fix,
  fail,
  type HelmRelease,
  pass,
  type Risk,
  safe,
  unknown,
  type Verdict,
  warn,
} from "./verdict.ts";
