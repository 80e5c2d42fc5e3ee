export { policyDenied } from "./errors.ts";
export { type JudgedRequest, judge, type Verdict } from "./judge.ts";
