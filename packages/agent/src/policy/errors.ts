import { FairleadError } from "@fairlead/kernel";

export function policyDenied(denial: { readonly rule: string; readonly reason: string }): FairleadError {
  return new FairleadError({
    code: "POLICY_DENIED",
    message: `The policy of this cluster's agent forbids it (rule "${denial.rule}"): ${denial.reason}.`,
    hint: "Whoever runs the agent decides; the hub can't widen it.",
    httpStatus: 403,
  });
}
