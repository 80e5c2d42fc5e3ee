export { type Check, type CheckInput, judgeCheck } from "./check.ts";
export { type Fix, fail, type HelmRelease, pass, unknown, type Verdict, warn } from "./verdict.ts";
