// What this cluster lets a hub ask for, whatever the hub says. Pure: the same request gets the same verdict.
import type { RequestAttributes } from "@fairlead/kube";
import type { CallerIdentity } from "@fairlead/protocol";

export interface JudgedRequest {
  readonly attributes: RequestAttributes;
  readonly identity: CallerIdentity;
}

export type Verdict =
  | { readonly allowed: true }
  /** `rule` is what the policy's author finds in the file or in the guide. */
  | { readonly allowed: false; readonly rule: string; readonly reason: string };

export function judge(request: JudgedRequest): Verdict {
  return judgeIdentity(request.identity) ?? allowed;
}

/** The cluster's own users and groups (system:masters is above all RBAC) are never a person's, with or without a file. */
function judgeIdentity({ user, groups }: CallerIdentity): Verdict | undefined {
  if (user.startsWith(systemPrefix)) return deny("system users", `nobody acts as the user "${user}" through a hub`);
  const group = groups.find((name) => name.startsWith(systemPrefix));
  if (group !== undefined) return deny("system groups", `nobody is put into the group "${group}" by a hub`);
  return undefined;
}

function deny(rule: string, reason: string): Verdict {
  return { allowed: false, rule, reason };
}

const allowed: Verdict = { allowed: true };
const systemPrefix = "system:";
