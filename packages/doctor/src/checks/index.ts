export { allowConfigMap } from "./allow-config-map.ts";
export { changeArgument } from "./change-argument.ts";
export { type Check, type CheckInput, type ClusterCheck, type ClusterInput, judgeCheck } from "./check.ts";
export { few } from "./few.ts";
export { fixBy } from "./fix-by.ts";
export { listNames } from "./list-names.ts";
export { shellWord } from "./shell-word.ts";
export { type Fix, fail, type HelmRelease, pass, unknown, type Verdict, warn } from "./verdict.ts";
