// How rules, names and clusters are compared. Pure.
import type { AccessBinding, ClusterRule, HubRule, TokenScope } from "@fairlead/contract";
import type { RequestAttributes } from "@fairlead/kube";

export type Labels = Readonly<Record<string, string>>;

export function choosesCluster(
  clusters: AccessBinding["clusters"],
  cluster: { readonly name: string; readonly labels: Labels | undefined },
): boolean {
  if ("all" in clusters) return true;
  if ("names" in clusters) return clusters.names.includes(cluster.name);
  const { labels } = cluster;
  // A cluster that the hub doesn't know has no labels, rather than none in particular.
  if (labels === undefined) return false;
  return Object.entries(clusters.selector.matchLabels).every(([key, value]) => labels[key] === value);
}

/** Undefined when the rule gives the request; else what of it doesn't fit, for a sentence. */
export function missOfRule(rule: ClusterRule, request: RequestAttributes): string | undefined {
  if (!includesWord(rule.verbs, request.verb)) return `it doesn't give ${request.verb}`;
  if (rule.apiGroups && !includesWord(rule.apiGroups, request.apiGroup)) return missOfResource(request);
  if (!rule.resources.some((pattern) => matchesResource(pattern, request))) return missOfResource(request);
  if (rule.except?.some((pattern) => matchesResource(pattern, request))) {
    return `it leaves out ${formatResource(request)}`;
  }
  if (rule.namespaces && !rule.namespaces.includes(request.namespace)) {
    return request.namespace === ""
      ? `it is for the namespaces ${rule.namespaces.join(", ")} and not for all of them`
      : `it isn't for the namespace ${request.namespace}`;
  }
  return undefined;
}

/** True for a role that covers more than a rule for resources can say: paths that are none, such as `/metrics`. */
export function givesEverything({ verbs, resources, except, namespaces, apiGroups }: ClusterRule): boolean {
  return verbs.includes("*") && resources.includes("*") && !except && !namespaces && !apiGroups;
}

/** True when both may choose the same cluster. */
export function choicesOverlap(
  one: AccessBinding["clusters"],
  other: AccessBinding["clusters"],
  labels: (cluster: string) => Labels | undefined,
): boolean {
  if ("all" in one || "all" in other) return true;
  if ("names" in one) return one.names.some((name) => choosesCluster(other, { name, labels: labels(name) }));
  if ("names" in other) return choicesOverlap(other, one, labels);
  const wanted = other.selector.matchLabels;
  return Object.entries(one.selector.matchLabels).every(([key, value]) => (wanted[key] ?? value) === value);
}

function missOfResource(request: RequestAttributes): string {
  return `it isn't for ${formatResource(request)}`;
}

export function fitsHubRule(rule: HubRule, request: { readonly verb: string; readonly resource: string }): boolean {
  const [resource = "", subresource = ""] = request.resource.split("/");
  return (
    includesWord(rule.verbs, request.verb) &&
    rule.resources.some((pattern) => matchesResource(pattern, { resource, subresource }))
  );
}

export function fitsScope(scope: TokenScope | undefined, request: { verb?: string; cluster?: string }): boolean {
  if (!scope) return true;
  // A request that isn't about one cluster is about all of them.
  if (scope.clusters && (request.cluster === undefined || !scope.clusters.includes(request.cluster))) return false;
  return request.verb === undefined || !scope.verbs || includesWord(scope.verbs, request.verb);
}

/** `*` alone, an ending `*`, or the name as it is. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

export function formatResource(request: {
  readonly resource: string;
  readonly subresource: string;
  readonly apiGroup: string;
}): string {
  const { resource, subresource, apiGroup } = request;
  return `${resource}${apiGroup === "" ? "" : `.${apiGroup}`}${subresource === "" ? "" : `/${subresource}`}`;
}

function includesWord(words: readonly string[], word: string): boolean {
  return words.includes("*") || words.includes(word);
}

/** As in RBAC: `pods` isn't `pods/exec`, and `*` alone is everything. */
function matchesResource(
  pattern: string,
  request: { readonly resource: string; readonly subresource: string },
): boolean {
  if (pattern === "*") return true;
  const slash = pattern.indexOf("/");
  const resource = slash < 0 ? pattern : pattern.slice(0, slash);
  const subresource = slash < 0 ? "" : pattern.slice(slash + 1);
  if (resource !== "*" && resource !== request.resource) return false;
  return subresource === "*" ? request.subresource !== "" : subresource === request.subresource;
}
