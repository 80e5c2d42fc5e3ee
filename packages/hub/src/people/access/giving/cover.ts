// Nobody may give what they don't have themselves: otherwise the right to bind would be the right to everything. Pure.
import type { AccessBinding, AccessRole, ClusterRule, HubRule } from "@fairlead/contract";
import { choosesCluster, endOf, type Grant, givesEverything, type Labels, matchesName } from "../policy/index.ts";

type Rights = Pick<AccessRole, "hubRules" | "clusterRules" | "groups" | "mayImpersonate">;

/** Undefined when the giver's grants hold all that the role gives on these clusters; else what they lack. */
export function missOfGiver(options: {
  readonly giver: readonly Grant[];
  /** Only what the giver has until then counts. */
  readonly untilMs: number;
  readonly role: Rights;
  readonly clusters: AccessBinding["clusters"];
  readonly labels: (cluster: string) => Labels | undefined;
}): string | undefined {
  const { role, untilMs, clusters, labels } = options;
  const holders = options.giver
    .filter(({ binding }) => endOf(binding) >= untilMs)
    .filter(({ binding }) => containsClusters(binding.clusters, clusters, labels))
    .map((grant) => grant.role);
  // Even a role without any rule opens discovery.
  if (holders.length === 0) return "a role on these clusters";
  const hubRules = holders.flatMap((one) => one.hubRules);
  for (const rule of role.hubRules) {
    const miss = missOfHubRule(hubRules, rule);
    if (miss !== undefined) return miss;
  }
  const missOf = rememberMisses(role.clusterRules);
  const miss = missOf(holders);
  if (miss !== undefined) return miss;
  for (const { what, holdsIt } of listNames(role)) {
    const fitting = holders.filter(holdsIt);
    if (fitting.length === 0) return `${what} in clusters`;
    // A request has only the groups of the roles that gave it, so each must be held for all that comes with it.
    const missing = missOf(fitting);
    if (missing !== undefined) return `${what} for ${missing}`;
  }
  return undefined;
}

/** Groups and names that requests by this role may have, and which roles have them as well. */
function listNames({ groups, mayImpersonate }: Rights): { what: string; holdsIt: (role: AccessRole) => boolean }[] {
  return [
    ...groups.map((name) => ({
      what: `the group ${name}`,
      // A caller who may act as a member in the cluster may give the membership, too: RBAC gives to one group whatever
      // it gives to others.
      holdsIt: (role: AccessRole) => role.groups.includes(name) || mayActAsMember(role, name),
    })),
    ...(mayImpersonate?.groups ?? []).map((name) => ({
      what: `acting as a member of ${name}`,
      holdsIt: (role: AccessRole) => mayActAsMember(role, name),
    })),
    ...(mayImpersonate?.users ?? []).map((name) => ({
      what: `acting as ${name}`,
      holdsIt: ({ mayImpersonate: held }: AccessRole) => held?.users?.some((one) => matchesName(one, name)) ?? false,
    })),
  ];
}

/** Nobody acts as a member of a group alone: without a user to act as, the right to it is none. */
function mayActAsMember({ mayImpersonate }: AccessRole, group: string): boolean {
  if (!mayImpersonate?.users?.length) return false;
  return mayImpersonate.groups?.some((one) => matchesName(one, group)) ?? false;
}

/** Hundreds of names are mostly held by the same few roles, and comparing rules is what takes time. */
function rememberMisses(wanted: readonly ClusterRule[]): (holders: readonly AccessRole[]) => string | undefined {
  const known: { readonly holders: readonly AccessRole[]; readonly miss: string | undefined }[] = [];
  return (holders) => {
    const found = known.find((one) => isSameList(one.holders, holders));
    if (found) return found.miss;
    const miss = missOfClusterRules(
      holders.flatMap((one) => one.clusterRules),
      wanted,
    );
    known.push({ holders, miss });
    return miss;
  };
}

function isSameList(one: readonly AccessRole[], other: readonly AccessRole[]): boolean {
  return one.length === other.length && one.every((role, at) => role === other[at]);
}

function containsClusters(
  outer: AccessBinding["clusters"],
  inner: AccessBinding["clusters"],
  labels: (cluster: string) => Labels | undefined,
): boolean {
  if ("all" in outer) return true;
  if ("all" in inner) return false;
  if ("names" in inner) return inner.names.every((name) => choosesCluster(outer, { name, labels: labels(name) }));
  if ("names" in outer) return false;
  const wanted = inner.selector.matchLabels;
  return Object.entries(outer.selector.matchLabels).every(([key, value]) => wanted[key] === value);
}

function missOfHubRule(held: readonly HubRule[], { verbs, resources }: HubRule): string | undefined {
  for (const verb of verbs) {
    for (const resource of resources) {
      const isHeld = held.some((rule) => hasWord(rule.verbs, verb) && hasResource(rule.resources, resource));
      if (!isHeld) return `${verb} ${resource} on the hub`;
    }
  }
  return undefined;
}

function missOfClusterRules(held: readonly ClusterRule[], wanted: readonly ClusterRule[]): string | undefined {
  for (const rule of wanted) {
    const miss = missOfClusterRule(held, rule);
    if (miss !== undefined) return miss;
  }
  return undefined;
}

/** Each verb on each resource must be held by one rule of the giver's that is as wide in everything else. */
function missOfClusterRule(held: readonly ClusterRule[], wanted: ClusterRule): string | undefined {
  // Paths that are no resources come with it, and with nothing less.
  if (givesEverything(wanted) && !held.some(givesEverything)) return "everything in clusters";
  for (const verb of wanted.verbs) {
    for (const resource of wanted.resources) {
      const isHeld = held.some(
        (rule) =>
          hasWord(rule.verbs, verb) &&
          hasResource(rule.resources, resource) &&
          isWithin(rule.apiGroups, wanted.apiGroups) &&
          isWithin(rule.namespaces, wanted.namespaces) &&
          (rule.except ?? []).every((one) => wanted.except?.includes(one) || !overlaps(one, resource)),
      );
      if (!isHeld) return `${verb} ${resource} in clusters`;
    }
  }
  return undefined;
}

function hasWord(held: readonly string[], wanted: string): boolean {
  return held.includes("*") || held.includes(wanted);
}

function hasResource(held: readonly string[], wanted: string): boolean {
  if (hasWord(held, wanted)) return true;
  const [resource, subresource] = wanted.split("/");
  if (subresource === undefined) return false;
  return held.includes(`${resource}/*`) || (subresource !== "*" && held.includes(`*/${subresource}`));
}

/** True when something fits both patterns. */
function overlaps(one: string, other: string): boolean {
  if (one === "*" || other === "*") return true;
  const [[resourceA, subA = ""], [resourceB, subB = ""]] = [one.split("/"), other.split("/")];
  if (resourceA !== resourceB && resourceA !== "*" && resourceB !== "*") return false;
  return subA === subB || (subA === "*" && subB !== "") || (subB === "*" && subA !== "");
}

function isWithin(held: readonly string[] | undefined, wanted: readonly string[] | undefined): boolean {
  if (!held || held.includes("*")) return true;
  return wanted?.every((one) => held.includes(one)) ?? false;
}
