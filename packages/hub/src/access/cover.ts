// Nobody may give what they don't have themselves: otherwise the right to bind would be the right to everything. Pure.
import type { AccessBinding, AccessRole, ClusterRule, HubRule } from "@fairlead/contract";
import { choosesCluster, type Labels, matchesName } from "./match.ts";
import type { Grant } from "./policy.ts";

/** Undefined when the giver's grants hold all that the role gives on these clusters; else what they lack. */
export function missOfGiver(options: {
  readonly giver: readonly Grant[];
  readonly role: Pick<AccessRole, "hubRules" | "clusterRules" | "groups" | "mayImpersonate">;
  readonly clusters: AccessBinding["clusters"];
  readonly labels: (cluster: string) => Labels | undefined;
}): string | undefined {
  const { role, clusters, labels } = options;
  const holders = options.giver
    .filter(({ binding }) => containsClusters(binding.clusters, clusters, labels))
    .map((grant) => grant.role);
  for (const rule of role.hubRules) {
    const miss = missOfHubRule(
      holders.flatMap((one) => one.hubRules),
      rule,
    );
    if (miss !== undefined) return miss;
  }
  for (const rule of role.clusterRules) {
    const miss = missOfClusterRule(
      holders.flatMap((one) => one.clusterRules),
      rule,
    );
    if (miss !== undefined) return miss;
  }
  // Whoever may act as a member of a group in the cluster may give it, too.
  const groups = holders.flatMap((one) => [...one.groups, ...(one.mayImpersonate?.groups ?? [])]);
  const wanted = [...role.groups, ...(role.mayImpersonate?.groups ?? [])];
  const group = wanted.find((name) => !groups.some((one) => matchesName(one, name)));
  if (group !== undefined) return `the group ${group} in clusters`;
  const users = holders.flatMap((one) => one.mayImpersonate?.users ?? []);
  const user = role.mayImpersonate?.users?.find((name) => !users.some((one) => matchesName(one, name)));
  return user === undefined ? undefined : `acting as ${user}`;
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

/** Each verb on each resource must be held by one rule of the giver's that is as wide in everything else. */
function missOfClusterRule(held: readonly ClusterRule[], wanted: ClusterRule): string | undefined {
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

/** Whether something fits both patterns. */
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
