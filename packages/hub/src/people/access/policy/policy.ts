// Decides who may do what. Pure: a decision depends on the bindings, roles and labels that are handed in and on nothing
// else. Rights only add up; there is no rule that takes some away, so the order of bindings never matters.
import type { AccessBinding, AccessRole } from "@fairlead/contract";
import { isSystemName } from "@fairlead/kernel";
import type { RequestAttributes } from "@fairlead/kube";
import type { CallerIdentity } from "@fairlead/protocol";
import {
  choosesCluster,
  fitsHubRule,
  fitsScope,
  givesEverything,
  type Labels,
  matchesName,
  missOfRule,
} from "./match.ts";
import { adminName, robotPrefix } from "./names.ts";
import { isAboutOneself, isDiscovery } from "./open-to-all.ts";
import type { Decision, HubRequest, ImpersonationRequest, Principal } from "./types.ts";

export interface Grant {
  readonly binding: AccessBinding;
  readonly role: AccessRole;
}

export interface LabelledCluster {
  readonly name: string;
  /** Undefined for a cluster that the hub doesn't know. */
  readonly labels: Labels | undefined;
}

/** The asker, as bindings see it. */
export type Asker = Pick<Principal, "kind" | "name" | "groups" | "scope">;

export function namesAsker({ subject }: AccessBinding, asker: Asker): boolean {
  switch (subject.kind) {
    case "group":
      return asker.kind === "user" && asker.groups.includes(subject.name);
    case "robot":
      return asker.kind === "robot" && asker.name === `${robotPrefix}${subject.name}`;
    case "user":
    case "admin-token":
      // By kind too: a user whom the identity provider calls `admin` isn't the hub's own.
      return asker.kind === subject.kind && asker.name === subject.name;
  }
}

/** Selects the asker's grants that are for the cluster. */
export function selectGrants(grants: readonly Grant[], cluster: LabelledCluster): Grant[] {
  return grants.filter(({ binding }) => choosesCluster(binding.clusters, cluster));
}

/** `grants` are the asker's on this cluster, as `selectGrants` gives them. */
export function decide(options: {
  readonly principal: Principal;
  readonly grants: readonly Grant[];
  readonly cluster: string;
  readonly attributes: RequestAttributes;
  readonly impersonate?: ImpersonationRequest | undefined;
  /** Put before the asker's own groups; without it they stay at home. */
  readonly groupPrefix?: string | undefined;
  /** Put before the names of users in clusters; robots and the hub's own token have names that no user has. */
  readonly usernamePrefix?: string | undefined;
}): Decision {
  const { principal, grants, cluster, attributes, impersonate, groupPrefix, usernamePrefix = "" } = options;
  const { scope } = principal;
  if (grants.length === 0) return deny(`${principal.name} has no role on the cluster ${cluster}`);
  const open = isDiscovery(attributes) || isAboutOneself(attributes);
  if (!fitsScope(scope, { cluster, ...(open ? {} : { verb: attributes.verb }) })) {
    return deny(`the token of ${principal.name} doesn't include this right`);
  }
  const fitting = open ? grants : selectFitting(grants, attributes);
  if (fitting.length === 0) return deny(describeMiss(principal, cluster, grants, attributes));
  const record = fitting.some(({ binding }) => binding.record === true);
  if (impersonate) {
    const refusal = refuseImpersonation(principal, fitting, impersonate);
    if (refusal !== undefined) return deny(refusal);
    const { user, groups } = impersonate;
    return { allowed: true, identity: { user, groups: [...groups], actor: principal.name }, record };
  }
  const known = identities.get(fitting);
  if (known?.principal === principal && known.groupPrefix === groupPrefix && known.usernamePrefix === usernamePrefix) {
    return { allowed: true, identity: known.identity, record };
  }
  const groups = gatherGroups(principal, fitting, groupPrefix);
  const user = principal.kind === "user" ? `${usernamePrefix}${principal.name}` : principal.name;
  // However prefix and name come together, the result is never one of the cluster's own.
  const isAnothers = user !== principal.name && (user.startsWith(robotPrefix) || user === adminName);
  const forbidden = isAnothers ? user : [principal.name, user, ...groups].find(isSystemName);
  if (forbidden !== undefined) return deny(`the name ${forbidden} is reserved for clusters`);
  const identity: CallerIdentity = { user, uid: principal.uid, groups };
  identities.set(fitting, { principal, groupPrefix, usernamePrefix, identity });
  return { allowed: true, identity, record };
}

/** The list itself when all of it fits, as it does with nearly every request. */
function selectFitting(grants: readonly Grant[], attributes: RequestAttributes): readonly Grant[] {
  const fitting = grants.filter(({ role }) => missOfRole(role, attributes) === undefined);
  return fitting.length === grants.length ? grants : fitting;
}

/** By the list of grants, which is another one after any change of a binding or a role. */
const identities = new WeakMap<
  readonly Grant[],
  {
    readonly principal: Principal;
    readonly groupPrefix: string | undefined;
    readonly usernamePrefix: string;
    readonly identity: CallerIdentity;
  }
>();

/** On the hub itself. `grants` are all of the asker's. */
export function mayOnHub(options: {
  readonly scope: Principal["scope"];
  readonly grants: readonly Grant[];
  readonly request: HubRequest;
  readonly labels: Labels | undefined;
}): boolean {
  const { scope, grants, request, labels } = options;
  const { cluster, verb } = request;
  if (!fitsScope(scope, { verb, ...(cluster === undefined ? {} : { cluster }) })) return false;
  return grants.some(
    ({ binding, role }) =>
      // A request that isn't about one cluster needs the role on all of them.
      (cluster === undefined
        ? "all" in binding.clusters
        : choosesCluster(binding.clusters, { name: cluster, labels })) &&
      role.hubRules.some((rule) => fitsHubRule(rule, request)),
  );
}

/** Undefined when one of the role's rules gives the request. */
export function missOfRole(role: AccessRole, attributes: RequestAttributes): string | undefined {
  if (!attributes.isResource) {
    return role.clusterRules.some(givesEverything)
      ? undefined
      : `${attributes.path} is only for roles that may do everything in a cluster`;
  }
  let miss = "it has no rule for clusters";
  for (const rule of role.clusterRules) {
    const one = missOfRule(rule, attributes);
    if (one === undefined) return undefined;
    miss = one;
  }
  return miss;
}

function gatherGroups(principal: Principal, grants: readonly Grant[], groupPrefix: string | undefined): string[] {
  const groups = new Set(grants.flatMap(({ role }) => role.groups));
  if (groupPrefix === undefined) return [...groups];
  for (const group of principal.groups) {
    const name = `${groupPrefix}${group}`;
    // However prefix and group come together, the result is never a cluster's own group or one that a role gives.
    if (!isSystemName(name) && !name.startsWith("fairlead:")) groups.add(name);
  }
  return [...groups];
}

function refuseImpersonation(
  principal: Principal,
  grants: readonly Grant[],
  wanted: ImpersonationRequest,
): string | undefined {
  const { user, uid, groups, extra } = wanted;
  const system = [user, ...groups].find(isSystemName);
  if (system !== undefined) return `the name ${system} is reserved for clusters`;
  if (user === "") return "a user must be named to act as";
  if (uid !== undefined || Object.keys(extra).length > 0) return "only a user and groups may be named to act as";
  const allowed = grants.flatMap(({ role }) => role.mayImpersonate ?? []);
  const isFree = (name: string, patterns: readonly string[]): boolean => patterns.some((one) => matchesName(one, name));
  if (
    !isFree(
      user,
      allowed.flatMap((one) => one.users ?? []),
    )
  )
    return `${principal.name} may not act as ${user}`;
  const groupPatterns = allowed.flatMap((one) => one.groups ?? []);
  const foreign = groups.find((group) => !isFree(group, groupPatterns));
  return foreign === undefined ? undefined : `${principal.name} may not act as a member of ${foreign}`;
}

function describeMiss(
  principal: Principal,
  cluster: string,
  grants: readonly Grant[],
  attributes: RequestAttributes,
): string {
  const roles = [...new Map(grants.map(({ role }) => [role.name, role])).values()];
  const misses = roles.map((role) => `${role.name}: ${missOfRole(role, attributes) ?? "yes"}`);
  return `${principal.name} has no role on the cluster ${cluster} that gives this (${misses.join("; ")})`;
}

function deny(reason: string): Decision {
  return { allowed: false, reason };
}
