import { type ApiResource, resourceKey } from "@fairlead/kube";
import { isReservedGroup } from "@fairlead/protocol";
import { defaultKinds } from "./default-kinds.ts";

export interface KindChoice {
  /** Beside the default ones: `resource[.group]`, `*.group` or `*`. */
  readonly include: readonly string[];
  /** Written alike. Where both match, the one that says more wins; where they say as much, this. */
  readonly exclude: readonly string[];
  /** Only these; then nothing of the cluster as a whole is observed. Empty for all. */
  readonly namespaces: readonly string[];
}

/** Chooses the kinds of an API server to observe, in the order in which they are listed first. */
export function chooseKinds(resources: readonly ApiResource[], choice: KindChoice): ApiResource[] {
  const { include, exclude, namespaces } = choice;
  const chosen = resources.filter((resource) => {
    if (!resource.verbs.includes("list") || !resource.verbs.includes("watch")) return false;
    if (isReservedGroup(resource.group)) return false;
    if (namespaces.length > 0 && !resource.namespaced) return false;
    return wantedRank(resource, include) > rankOf(exclude, resource);
  });
  return chosen.sort((a, b) => orderOf(a) - orderOf(b));
}

/** It was said that nothing of this kind is to be looked at. */
export function isExcluded(resource: ApiResource, { include, exclude }: KindChoice): boolean {
  const excluded = rankOf(exclude, resource);
  return excluded > rank.none && excluded >= wantedRank(resource, include);
}

/** True when a group may have kinds that are wanted: then not knowing what it has leaves the choice open. */
export function mayHaveChosen(group: string, choice: KindChoice): boolean {
  const patterns = [...defaultKinds, ...choice.include];
  return patterns.some((pattern) => pattern === "*" || pattern === group || pattern.endsWith(`.${group}`));
}

function wantedRank(resource: ApiResource, include: readonly string[]): number {
  return Math.max(isDefault(resource) ? rank.default : rank.none, rankOf(include, resource));
}

/** How exactly the best of the patterns names the resource. */
function rankOf(patterns: readonly string[], resource: ApiResource): number {
  return Math.max(rank.none, ...patterns.map((pattern) => rankOfOne(pattern, resource)));
}

function rankOfOne(pattern: string, resource: ApiResource): number {
  const key = resourceKey(resource);
  if (pattern === key) return rank.exact;
  // The same objects as the core group's events.
  if (key === "events.events.k8s.io") return rank.none;
  if (pattern === `*.${resource.group}`) return rank.group;
  return pattern === "*" ? rank.all : rank.none;
}

function isDefault(resource: ApiResource): boolean {
  return defaultOrder.has(resourceKey(resource));
}

function orderOf(resource: ApiResource): number {
  return defaultOrder.get(resourceKey(resource)) ?? defaultKinds.length;
}

const defaultOrder: ReadonlyMap<string, number> = new Map(defaultKinds.map((key, index) => [key, index]));
const rank = { none: 0, default: 1, all: 2, group: 3, exact: 4 };
