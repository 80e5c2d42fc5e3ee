import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  POLICY_DENIED: {
    httpStatus: 403,
    message: "The policy of this cluster's agent forbids it (rule {rule}): {reason}.",
    hint: "The people who run the agent decide; the hub can't widen it.",
    meaning: "The policy of the cluster's own agent forbids the request; the message names the rule.",
    remedy: "Ask the people who run the agent; see docs/agent-policy.md.",
  },
  POLICY_UNTRACKED: {
    httpStatus: 403,
    message: "Argo CD on the hub reaches here only what belongs to resources that Argo CD tracks: {reason}.",
    hint: "docs/argocd-hub.md says what it may reach. People use their own account.",
    meaning:
      "Argo CD on the hub asked an agent for more than discovery and what belongs to resources that Argo CD tracks.",
  },
  POLICY_FILE_UNREADABLE: {
    message: "The policy file {path} can't be read ({reason}).",
    hint: "Check the path and that the agent's user may read it.",
    meaning:
      "The agent's policy file can't be read. At the start the agent ends; later the policy before stays in force.",
    remedy: "Check its path and permissions.",
  },
  POLICY_FILE_INVALID: {
    message: "The policy file {path} isn't valid: {detail}.",
    hint: "docs/agent-policy.md describes its members.",
    meaning:
      "The agent's policy file isn't YAML, is empty, or has a member that isn't a rule. At the start the agent ends; later the policy before stays in force.",
    remedy: "The message names the member; see docs/agent-policy.md.",
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
