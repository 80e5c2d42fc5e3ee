// The rules of this cluster for commands. Those at the top of the file are about all that a hub asks for, by whatever
// way; those under `execute` are about commands alone, and narrow them further. Pure.
import type { RequestAttributes } from "@fairlead/kube";
import { judge } from "./judge.ts";
import { matchesAny } from "./patterns.ts";
import { openPolicyRules, type Policy } from "./schema.ts";
import type { Verdict } from "./verdict.ts";

export interface JudgedCommand {
  /** `NAMESPACE/NAME` with whose rights it runs; the agent's own without. */
  readonly serviceAccount?: string | undefined;
  readonly attributes: RequestAttributes;
  readonly requester: string;
}

export function judgeCommand(policy: Policy, request: JudgedCommand): Verdict {
  const { attributes, requester, serviceAccount } = request;
  const account = judgeServiceAccount(policy, serviceAccount);
  if (!account.allowed) return account;
  // A command doesn't run as a person, so groups have no part in it.
  const identity = { user: requester, groups: [] };
  const verdict = judge(policy, { attributes, identity });
  if (!verdict.allowed || policy.execute === undefined) return verdict;
  const { namespaces, resources } = policy.execute;
  const narrower = judge({ ...openPolicyRules, namespaces, resources }, { attributes, identity });
  return narrower.allowed ? narrower : { ...narrower, rule: `execute.${narrower.rule}` };
}

/** With whose rights commands may run here. */
export function judgeServiceAccount({ execute }: Policy, account: string | undefined): Verdict {
  const { allow, required = false } = execute?.serviceAccounts ?? {};
  if (account === undefined) {
    if (!required) return { allowed: true };
    return deny("required", "commands run with the rights of a ServiceAccount that they name");
  }
  if (allow === undefined || matchesAny(allow, account)) return { allowed: true };
  return deny("allow", `no command runs as the ServiceAccount "${account}"`);
}

function deny(rule: string, reason: string): Verdict {
  return { allowed: false, rule: `execute.serviceAccounts.${rule}`, reason };
}

export function allowsKind(policy: Policy, kind: string): boolean {
  const kinds = policy.execute?.kinds;
  return kinds === undefined || matchesAny(kinds, kind);
}
