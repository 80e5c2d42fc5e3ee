import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  POLICY_DENIED: {
    httpStatus: 403,
    message: "The policy of this cluster's agent forbids the request (rule {rule}): {reason}.",
    hint: "Ask the agent's operator to change the policy: the hub can't override it.",
    meaning: "The policy of the cluster's agent forbids the request; the message names the rule.",
    remedy: "Ask the agent's operator to change the policy; see docs/agent-policy.md.",
  },
  POLICY_UNTRACKED: {
    httpStatus: 403,
    message:
      "Argo CD on the hub can reach only what belongs to resources that Argo CD tracks in this cluster: {reason}.",
    hint: "Use your own account instead. docs/argocd-hub.md lists what Argo CD can reach.",
    meaning: "Argo CD on the hub requested more than discovery and what belongs to resources that Argo CD tracks.",
  },
  POLICY_FILE_UNREADABLE: {
    message: "The policy file {path} can't be read ({reason}).",
    hint: "Check the path, and that the agent's user has permission to read the file.",
    meaning:
      "The agent's policy file can't be read. At startup the agent exits; later the previous policy stays in force.",
    remedy: "Check its path and permissions.",
  },
  POLICY_FILE_INVALID: {
    message: "The policy file {path} isn't valid: {detail}.",
    hint: "See docs/agent-policy.md for its members.",
    meaning:
      "The agent's policy file isn't YAML, is empty, or has a member that isn't a rule. At startup the agent exits; later the previous policy stays in force.",
    remedy: "Correct the member that the message names; see docs/agent-policy.md.",
  },
} as const;

export const policyErrors: Errors<typeof table> = defineErrors(table);

export function policyDenied(denial: { readonly rule: string; readonly reason: string }): FairleadError {
  return policyErrors.POLICY_DENIED({ rule: denial.rule, reason: denial.reason });
}

export function policyUnreadable(path: string, cause: unknown): FairleadError {
  return policyErrors.POLICY_FILE_UNREADABLE({
    path,
    reason: cause instanceof Error && "code" in cause ? String(cause.code) : "unknown",
    cause,
  });
}
