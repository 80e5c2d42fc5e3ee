// The policy's decision in words, binding by binding. Pure.
import type { AccessBinding, AccessRole, ConsideredBinding, Explanation, WhoCanAnswer } from "@fairlead/contract";
import type { RequestAttributes } from "@fairlead/kube";
import type { Principal } from "../policy/index.ts";
import {
  choosesCluster,
  decide,
  fitsHubRule,
  formatResource,
  type Grant,
  isAboutOneself,
  isDiscovery,
  type LabelledCluster,
  mayOnHub,
  missOfRole,
  selectGrants,
} from "../policy/index.ts";

/** A question about something in a cluster, or about something of the hub's own. */
export type Question =
  | { readonly kind: "cluster"; readonly cluster: LabelledCluster; readonly attributes: RequestAttributes }
  | {
      readonly kind: "hub";
      readonly verb: string;
      readonly resource: string;
      readonly cluster: LabelledCluster | undefined;
    };

export function explain(options: {
  readonly principal: Principal;
  /** All of the asker's. */
  readonly grants: readonly Grant[];
  readonly question: Question;
  readonly groupPrefix?: string | undefined;
  readonly usernamePrefix?: string | undefined;
}): Explanation {
  const { principal, grants, question, ...prefixes } = options;
  const considered = grants.map((grant) => consider(grant, question));
  const reasons = considered.filter(({ matched }) => matched);
  const because = `by ${reasons.map(nameReason).join(" and ")}`;
  if (question.kind === "hub") {
    const { verb, resource, cluster } = question;
    const request = { verb, resource, cluster: cluster?.name };
    const allowed = mayOnHub({ scope: principal.scope, grants, request, labels: cluster?.labels });
    const where = cluster ? ` of the cluster ${cluster.name}` : " on the hub";
    const reason = allowed ? because : `${principal.name} has no role that gives ${verb} ${resource}${where}`;
    return { allowed, reason, considered };
  }
  const { cluster, attributes } = question;
  const onCluster = selectGrants(grants, cluster);
  const decision = decide({ principal, grants: onCluster, cluster: cluster.name, attributes, ...prefixes });
  if (!decision.allowed) return { allowed: false, reason: decision.reason, considered };
  const { user, groups } = decision.identity;
  return { allowed: true, reason: because, identity: { user, groups: [...groups] }, considered };
}

function nameReason({ role, binding, endsAt }: ConsideredBinding): string {
  return `the role ${role} (${binding}${endsAt === undefined ? "" : `, until ${endsAt}`})`;
}

export function listWhoCan(options: {
  readonly bindings: Iterable<AccessBinding>;
  readonly roles: ReadonlyMap<string, AccessRole>;
  readonly question: Question;
}): WhoCanAnswer {
  const { bindings, roles, question } = options;
  const items: WhoCanAnswer["items"][number][] = [];
  for (const binding of bindings) {
    const role = roles.get(binding.role);
    if (!role || !consider({ binding, role }, question).matched) continue;
    const { subject, id, endsAt } = binding;
    items.push({ subject, role: role.name, binding: id, ...(endsAt === undefined ? {} : { endsAt }) });
  }
  return { items };
}

function consider({ binding, role }: Grant, question: Question): ConsideredBinding {
  const miss = missOf({ binding, role }, question);
  const { id, endsAt } = binding;
  const base = { binding: id, role: role.name, ...(endsAt === undefined ? {} : { endsAt }) };
  if (miss !== undefined) return { ...base, matched: false, why: miss };
  return { ...base, matched: true, why: endsAt === undefined ? "it gives this" : `it gives this until ${endsAt}` };
}

function missOf({ binding, role }: Grant, question: Question): string | undefined {
  const { cluster } = question;
  if (!cluster) {
    if (!("all" in binding.clusters)) return "it isn't for all clusters, which the hub's own things need";
  } else if (!choosesCluster(binding.clusters, cluster)) {
    return `it isn't for the cluster ${cluster.name}`;
  }
  if (question.kind === "hub") {
    const { verb, resource } = question;
    if (role.hubRules.some((rule) => fitsHubRule(rule, question))) return undefined;
    return `the role doesn't give ${verb} ${resource}`;
  }
  const { attributes } = question;
  if (isDiscovery(attributes) || isAboutOneself(attributes)) return undefined;
  const miss = missOfRole(role, attributes);
  return miss === undefined
    ? undefined
    : `the role's rules don't give ${attributes.verb} ${formatResource(attributes)}: ${miss}`;
}
