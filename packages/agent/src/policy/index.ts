export { policyDenied, policyErrors } from "./errors.ts";
export { type HostAndPort, isLoopbackHost, matchesHost, normalHost } from "./host-pattern.ts";
export { type JudgedRequest, judge, type Verdict } from "./judge.ts";
export type { HostVerdict } from "./judge-host.ts";
export type { CommandSource } from "./judge-source.ts";
export { type CredentialRule, openPolicyRules } from "./schema.ts";
export { openPolicy, type PolicyKeeper } from "./service.ts";
export type { TofuRules } from "./tofu-rules.ts";
export { createTrackedReach, type ReachRequest, type TrackedReach } from "./tracked-reach.ts";
