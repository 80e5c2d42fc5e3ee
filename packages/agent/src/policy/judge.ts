// The rules of this cluster for what a hub may ask for, whatever the hub says. Pure: the same policy and request get
// the same verdict.
import { isSystemName } from "@fairlead/kernel";
import { formatResource, type RequestAttributes } from "@fairlead/kube";
import type { CallerIdentity } from "@fairlead/protocol";
import { judgeClaims } from "./judge-claims.ts";
import { isOwnClosed } from "./own-namespace.ts";
import { matchesAny, matchesResource } from "./patterns.ts";
import type { Policy, Rules } from "./schema.ts";
import type { Verdict } from "./verdict.ts";

export interface JudgedRequest {
  readonly attributes: RequestAttributes;
  readonly identity: CallerIdentity;
  /** The agent's, where its pods, its identity and this policy are. */
  readonly ownNamespace?: string | undefined;
}

export function judge(policy: Policy, request: JudgedRequest): Verdict {
  const { attributes, identity } = request;
  const verdict = judgeIdentity(policy, identity) ?? judgeClaims(policy, identity);
  if (verdict) return verdict;
  if (!attributes.isResource) return judgePath(policy, attributes) ?? allowed;
  // Questions about one's own rights come before everything else, and change nothing.
  if (isSelfReview(attributes)) return allowed;
  return (
    judgeOwnNamespace(policy, request) ??
    judgeReadOnly(policy, attributes) ??
    judgeSecrets(policy, attributes) ??
    judgeVerb(policy.verbs, attributes) ??
    judgeResource(policy.resources, attributes) ??
    judgeNamespace(policy, attributes) ??
    allowed
  );
}

/** The cluster's own users and groups (system:masters is above all RBAC) are never a person's, with or without a file. */
function judgeIdentity(policy: Policy, { user, groups }: CallerIdentity): Verdict | undefined {
  if (isSystemName(user)) return deny("system users", `nobody acts as the user "${user}" through a hub`);
  const own = groups.find(isSystemName);
  if (own !== undefined) return deny("system groups", `nobody is put into the group "${own}" by a hub`);
  if (matchesAny(policy.users?.deny, user)) return deny("users.deny", `the user "${user}" isn't let in`);
  if (policy.users?.allow && !matchesAny(policy.users.allow, user))
    return deny("users.allow", `the user "${user}" isn't one of those let in`);
  const allow = policy.groups?.allow;
  const foreign = allow && groups.find((name) => !matchesAny(allow, name));
  return foreign === undefined ? undefined : deny("groups.allow", `the group "${foreign}" isn't one of those let in`);
}

/** Or a hub whose admins have all rights in the cluster would write itself another policy. */
function judgeOwnNamespace(policy: Policy, { attributes, ownNamespace }: JudgedRequest): Verdict | undefined {
  if (policy.openOwnNamespace || !isOwnClosed(ownNamespace, attributes)) return undefined;
  const { verb } = attributes;
  return deny("own namespace", `${verb} ${nameResource(attributes)} could change the agent, whose namespace is closed`);
}

function judgePath(policy: Policy, { verb, path }: RequestAttributes): Verdict | undefined {
  if (!policy.readOnly || pathReads.has(verb)) return undefined;
  return deny("readOnly", `${verb} ${path} may change something`);
}

function judgeReadOnly(policy: Policy, { verb, resource, subresource }: RequestAttributes): Verdict | undefined {
  if (!policy.readOnly) return undefined;
  if (!reads.has(verb)) return deny("readOnly", `${verb} changes something`);
  // Behind these is another server, which may run commands for a GET (the kubelet does).
  return subresource === "proxy" ? deny("readOnly", `${resource}/proxy leads to more than reading`) : undefined;
}

/** All but a creation answer with what is in the Secret: a patch of nothing, and a deletion that waits, too. */
function judgeSecrets(policy: Policy, { verb, apiGroup, resource }: RequestAttributes): Verdict | undefined {
  if (!policy.denySecretReads || apiGroup !== "" || resource !== "secrets" || verb === "create") return undefined;
  return deny("denySecretReads", `${verb} shows what is in Secrets`);
}

function judgeVerb(rules: Rules | undefined, { verb }: RequestAttributes): Verdict | undefined {
  if (rules === undefined) return undefined;
  if (matchesAny(rules.deny, verb)) return deny("verbs.deny", `${verb} is denied`);
  if (rules.allow && !matchesAny(rules.allow, verb)) return deny("verbs.allow", `${verb} isn't allowed`);
  return undefined;
}

function judgeResource(rules: Rules | undefined, attributes: RequestAttributes): Verdict | undefined {
  if (rules === undefined) return undefined;
  const name = nameResource(attributes);
  // A rule that denies pods denies all that is done to pods; one that allows pods doesn't allow exec.
  if (rules.deny?.some((pattern) => matchesResource(pattern, attributes, { coversSubresources: true }))) {
    return deny("resources.deny", `${name} is denied`);
  }
  const isAllowed = rules.allow?.some((pattern) => matchesResource(pattern, attributes, { coversSubresources: false }));
  return isAllowed === false ? deny("resources.allow", `${name} isn't allowed`) : undefined;
}

function judgeNamespace({ namespaces: rules }: Policy, attributes: RequestAttributes): Verdict | undefined {
  if (rules === undefined) return undefined;
  const { namespace } = attributes;
  if (namespace === "") {
    // A list over all namespaces would show those that are closed.
    if (rules.clusterWide) return undefined;
    return deny(
      "namespaces.clusterWide",
      `${nameResource(attributes)} without one namespace reaches beyond those allowed`,
    );
  }
  if (matchesAny(rules.deny, namespace)) return deny("namespaces.deny", `the namespace "${namespace}" is denied`);
  if (rules.allow && !matchesAny(rules.allow, namespace)) {
    return deny("namespaces.allow", `the namespace "${namespace}" isn't allowed`);
  }
  return undefined;
}

function isSelfReview({ verb, apiGroup, resource, subresource }: RequestAttributes): boolean {
  return verb === "create" && subresource === "" && selfReviews.has(`${apiGroup}/${resource}`);
}

function nameResource(attributes: RequestAttributes): string {
  return `${attributes.apiGroup || "core"}/${formatResource(attributes)}`;
}

function deny(rule: string, reason: string): Verdict {
  return { allowed: false, rule, reason };
}

const allowed: Verdict = { allowed: true };
const reads = new Set(["get", "list", "watch"]);
const pathReads = new Set(["get", "head", "options"]);
const selfReviews = new Set([
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
  "authentication.k8s.io/selfsubjectreviews",
]);
