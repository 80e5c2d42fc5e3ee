export { policyDenied, policyErrors } from "./errors.ts";
export { type JudgedRequest, judge, type Verdict } from "./judge.ts";
export type { CommandSource } from "./judge-source.ts";
export { openPolicyRules } from "./schema.ts";
export { openPolicy, type PolicyKeeper } from "./service.ts";
export { createTrackedReach, type ReachRequest, type TrackedReach } from "./tracked-reach.ts";
