// The rules of this cluster for commands. Those at the top of the file are about all that a hub asks for, by whatever
// way; those under `execute` are about commands alone, and narrow them further. Pure.
import type { RequestAttributes } from "@fairlead/kube";
import { judge, type Verdict } from "./judge.ts";
import { matchesAny } from "./patterns.ts";
import { openPolicyRules, type Policy } from "./schema.ts";

export interface JudgedCommand {
  readonly attributes: RequestAttributes;
  readonly requester: string;
}

export function judgeCommand(policy: Policy, request: JudgedCommand): Verdict {
  const { attributes, requester } = request;
  // Nobody is impersonated: groups have no part in it.
  const identity = { user: requester, groups: [] };
  const verdict = judge(policy, { attributes, identity });
  if (!verdict.allowed || policy.execute === undefined) return verdict;
  const { namespaces, resources } = policy.execute;
  const narrower = judge({ ...openPolicyRules, namespaces, resources }, { attributes, identity });
  return narrower.allowed ? narrower : { ...narrower, rule: `execute.${narrower.rule}` };
}

/** Of a repository, a path in a registry, or `inline`. What is below an allowed place is allowed, too. */
export function judgeChart(policy: Policy, place: string): Verdict {
  const allow = policy.execute?.charts?.repositories?.allow;
  const patterns = allow?.flatMap((pattern) => {
    const plain = pattern.replace(/\/+$/, "");
    return [plain, `${plain}/*`];
  });
  if (patterns === undefined || matchesAny(patterns, place)) return { allowed: true };
  return { allowed: false, rule: "execute.charts.repositories.allow", reason: `charts of ${place} aren't let in` };
}

export function allowsKind(policy: Policy, kind: string): boolean {
  const kinds = policy.execute?.kinds;
  return kinds === undefined || matchesAny(kinds, kind);
}
