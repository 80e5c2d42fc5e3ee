import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  OBJECTS_SELECTOR_INVALID: {
    httpStatus: 400,
    message: "The selector {selector} is invalid.",
    hint: "Labels: app=web, app!=web, app in (a,b), app notin (a), app, !app. Fields: spec.nodeName=a, status.phase!=Running. Separate several with commas.",
    meaning: "A label or field selector is invalid.",
    remedy: "Use kubectl's syntax: `app=web`, `app in (a,b)`, `!app`; `spec.nodeName=a`, `status.phase!=Running`.",
  },
  OBJECTS_CLUSTER_UNKNOWN: {
    httpStatus: 404,
    message: "You can't see any cluster {of}{clusters}.",
    hint: "List the clusters that you can see: `fairlead cluster list`.",
    meaning: "A name in `cluster=` doesn't exist, or the caller can't see that cluster.",
    remedy: "List the visible clusters: `fairlead cluster list`.",
  },
  OBJECTS_NO_CLUSTER_VISIBLE: {
    httpStatus: 403,
    message: "{name} has no role on any cluster.",
    hint: "Ask an admin to bind a role on clusters: `fairlead access binding create`.",
    meaning: "The caller has no role on any cluster. The error doesn't reveal whether clusters exist.",
    remedy: "Ask an admin to bind a role on clusters: `fairlead access binding create`.",
  },
  OBJECTS_TOO_BUSY: {
    retryable: true,
    message: "Too many queries that scan every object are in progress{whose}.",
    hint: "Retry in a moment. Searches, field selectors and sets of labels scan every object; a name, a namespace or `label=value` doesn't.",
    meaning:
      "Too many queries that scan every object (text, field selectors, sets of labels) are waiting: the caller's own (429), or all users' (503).",
    remedy: "Retry after `Retry-After`. A query by name, namespace or `label=value` uses an index and doesn't wait.",
  },
  OBJECTS_FORBIDDEN: {
    httpStatus: 403,
    message: "{name} isn't allowed to list {kinds} in {where}{clusters}.",
    hint: "Find the missing role with `fairlead access explain`, or try another namespace or cluster.",
    meaning:
      "The caller isn't allowed to list any of the requested kinds, or any of the requested namespaces, in any of the clusters.",
  },
  OBJECTS_KIND_NOT_OBSERVED: {
    httpStatus: 409,
    message: "No agent observes {kinds} in {clusters}.",
    hint: "{advice}",
    meaning: "The kind exists, but none of the requested clusters has it in its copy.",
    remedy:
      "Add the kind to the agent's `--observe-include` (chart: `observe.include`). If a cluster has no copy, give it an agent with the role `observe`.",
  },
  OBJECTS_NOT_OBSERVED: {
    httpStatus: 409,
    message: "The hub has no copy of {clusters}: no agent has reported objects yet.",
    hint: "Give the agent the role observe (`fairlead cluster token create NAME --role proxy --role observe --token-out FILE`), and wait for its first list.",
    meaning: "The request is for changes in clusters of which the hub has no copy.",
    remedy: "Give a cluster an agent with the role `observe`, or wait for the agent's first list.",
  },
  OBJECTS_KIND_UNKNOWN: {
    httpStatus: 404,
    message: "No cluster that you can see has the kind {kind}.",
    hint: "List the known kinds with GET /api/v1/kinds. To add one that the agent doesn't observe, use --observe-include resource.group (chart: observe.include).",
    meaning:
      "No cluster that the caller can see has a kind with this name, and it isn't a built-in kind of Kubernetes.",
  },
  OBJECTS_CURSOR_INVALID: {
    httpStatus: 400,
    message: "The cursor belongs to another hub or another query.",
    hint: "Use `next` from a response to the same query, or start again without a cursor.",
    meaning: "The cursor belongs to another hub, or to a query with another order.",
  },
  /** The same for what isn't there and for what may not be seen. */
  OBJECTS_NOT_FOUND: {
    httpStatus: 404,
    message: "The object doesn't exist, or you can't see it.",
    hint: "The object may be deleted, not observed, or in a namespace that none of your roles covers.",
    meaning: "The object doesn't exist, or the caller can't see it.",
  },
  OBJECTS_QUERY_INVALID: {
    httpStatus: 400,
    message: "The query is invalid: {problems}.",
    hint: "See packages/contract/openapi.json for all parameters.",
    meaning: "A parameter of a query about objects is unknown or has an invalid value; the message names it.",
    remedy: "See `packages/contract/openapi.json` for all parameters.",
  },
} as const;

export const objectsErrors: Errors<typeof table> = defineErrors(table);

export function selectorInvalid(selector: string): FairleadError {
  return objectsErrors.OBJECTS_SELECTOR_INVALID({ selector: JSON.stringify(selector.slice(0, 200)) });
}

/** The same for what isn't there and for what the caller may not know of. */
export function unknownCluster(names: readonly string[]): FairleadError {
  return objectsErrors.OBJECTS_CLUSTER_UNKNOWN({
    of: names.length === 1 ? "" : "with these names: ",
    clusters: quoteSome(names),
  });
}

/** Doesn't say if there are any clusters. */
export function noClusterVisible(name: string): FairleadError {
  return objectsErrors.OBJECTS_NO_CLUSTER_VISIBLE({ name: JSON.stringify(name) });
}

/** `own`: the caller's share is used up; `hub`: that of all. */
export function tooBusy(share: "own" | "hub"): FairleadError {
  return objectsErrors.OBJECTS_TOO_BUSY({
    whose: share === "own" ? ", all of them yours" : "",
    httpStatus: share === "own" ? 429 : 503,
  });
}

/** As kubectl says it. */
export function forbidden(options: {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly namespaces: readonly string[];
  readonly clusters: readonly string[];
}): FairleadError {
  const { name, kinds, namespaces, clusters } = options;
  const where =
    namespaces.length === 0 ? "" : `the namespace${namespaces.length === 1 ? "" : "s"} ${quoteSome(namespaces)} of `;
  return objectsErrors.OBJECTS_FORBIDDEN({
    name: JSON.stringify(name),
    kinds: listSome(kinds),
    where,
    clusters: nameClusters(clusters),
  });
}

/** A kind that there is, but not in the hub's copy of these clusters. */
export function kindNotObserved(options: {
  readonly kinds: readonly string[];
  readonly clusters: readonly string[];
  /** Something of any of the clusters is. */
  readonly isObserved: boolean;
}): FairleadError {
  const { kinds, clusters, isObserved } = options;
  return objectsErrors.OBJECTS_KIND_NOT_OBSERVED({
    kinds: listSome(kinds),
    clusters: nameClusters(clusters),
    advice: isObserved
      ? `Start the agent with --observe-include ${[...new Set(kinds)].slice(0, shownNames).join(",")} (chart: observe.include) and the right to read it. kubectl through the hub works without it.`
      : "Nothing is observed there yet: give an agent the role observe (`fairlead cluster token create NAME --role proxy --role observe --token-out FILE`), and --observe-include for some kinds.",
  });
}

export function notObserved(clusters: readonly string[]): FairleadError {
  return objectsErrors.OBJECTS_NOT_OBSERVED({ clusters: `the ${nameClusters(clusters)}` });
}

export function kindUnknown(kind: string): FairleadError {
  return objectsErrors.OBJECTS_KIND_UNKNOWN({ kind: JSON.stringify(kind.slice(0, 200)) });
}

export function objectQueryInvalid(problems: string): FairleadError {
  return objectsErrors.OBJECTS_QUERY_INVALID({ problems });
}

function nameClusters(names: readonly string[]): string {
  return `${new Set(names).size === 1 ? "cluster" : "clusters"} ${quoteSome(names)}`;
}

function quoteSome(names: readonly string[]): string {
  return listSome(names.map((name) => JSON.stringify(name.slice(0, 200))));
}

function listSome(all: readonly string[]): string {
  const names = [...new Set(all)];
  const more = names.length - shownNames;
  return names.slice(0, shownNames).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const shownNames = 3;
