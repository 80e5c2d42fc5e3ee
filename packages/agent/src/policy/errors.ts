import { FairleadError } from "@fairlead/kernel";

export function policyDenied(denial: { readonly rule: string; readonly reason: string }): FairleadError {
  return new FairleadError({
    code: "POLICY_DENIED",
    message: `The policy of this cluster's agent forbids it (rule ${denial.rule}): ${denial.reason}.`,
    hint: "Whoever runs the agent decides; the hub can't widen it.",
    httpStatus: 403,
  });
}

export function policyUnreadable(path: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "POLICY_FILE_UNREADABLE",
    message: `The policy file ${path} can't be read (${cause instanceof Error && "code" in cause ? cause.code : "unknown"}).`,
    hint: "Check the path and that the agent's user may read it.",
    cause,
  });
}

export function policyInvalid(path: string, detail: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "POLICY_FILE_INVALID",
    message: `The policy file ${path} isn't valid: ${detail}.`,
    hint: "docs/agent-policy.md describes its members.",
    cause,
  });
}
