// Judges the uid and the extras that a hub claims for a person. Webhooks and admission policies of the cluster may rely on
// them, so the agent allows only uids that the hub's sign-in makes, unless the policy names others. Pure.
import type { CallerIdentity } from "@fairlead/protocol";
import { matchesAny } from "./patterns.ts";
import type { Policy } from "./schema.ts";
import type { Verdict } from "./verdict.ts";

export function judgeClaims(policy: Policy, { uid, extra = {} }: CallerIdentity): Verdict | undefined {
  if (uid !== undefined && !isAllowedUid(policy, uid))
    return { allowed: false, rule: "uids.allow", reason: `the uid "${uid}" isn't one that the hub can set` };
  const key = Object.keys(extra).find((one) => !isAllowedExtra(policy.extras?.allow, one));
  if (key === undefined) return undefined;
  return { allowed: false, rule: "extras.allow", reason: `the extra "${key}" isn't one that the hub can set` };
}

function isAllowedUid({ uids }: Policy, uid: string): boolean {
  return uids === undefined ? signInUid.test(uid) : matchesAny(uids.allow, uid);
}

/** A pattern never reaches a key of Kubernetes' own, such as the node that a token is bound to: the policy names it whole. */
function isAllowedExtra(allow: readonly string[] | undefined, key: string): boolean {
  return allow?.includes(key) === true || (!isKubernetesOwn(key) && matchesAny(allow, key));
}

function isKubernetesOwn(key: string): boolean {
  const domain = key.slice(0, Math.max(0, key.indexOf("/"))).toLowerCase();
  return /(?:^|\.)(?:kubernetes|k8s)\.io$/.test(domain);
}

/** The uids that the hub gives to users, robots and its own admin. */
const signInUid = /^(?:usr|rob|adm)_[0-9a-z]{26}$/;
