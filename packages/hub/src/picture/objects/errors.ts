import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  OBJECTS_SELECTOR_INVALID: {
    httpStatus: 400,
    message: "{selector} isn't a selector.",
    hint: "Labels: app=web, app!=web, app in (a,b), app notin (a), app, !app. Fields: spec.nodeName=a, status.phase!=Running. Several are separated by commas.",
    meaning: "A label or field selector can't be read.",
    remedy: "Write it as for kubectl: `app=web`, `app in (a,b)`, `!app`; `spec.nodeName=a`, `status.phase!=Running`.",
  },
  OBJECTS_CLUSTER_UNKNOWN: {
    httpStatus: 404,
    message: "You see no cluster {of}{clusters}.",
    hint: "`fairlead cluster list` shows those that you see.",
    meaning: "A name in `cluster=` is of no cluster, or of none that the caller may know of.",
    remedy: "`fairlead cluster list` shows those that the caller sees.",
  },
  OBJECTS_NO_CLUSTER_VISIBLE: {
    httpStatus: 403,
    message: "None of the roles of {name} is for any cluster.",
    hint: "An admin gives a role on clusters: `fairlead access binding create`.",
    meaning: "None of the caller's roles is for any cluster; whether there are clusters isn't said.",
    remedy: "An admin gives a role on clusters: `fairlead access binding create`.",
  },
  OBJECTS_TOO_BUSY: {
    retryable: true,
    message: "Too many questions that look at every object are under way{whose}.",
    hint: "Ask again in a moment. Searches, field selectors and sets of labels are such; a name, a namespace or `label=value` is not.",
    meaning:
      "Too many questions that look at every object (text, field selectors, sets of labels) wait at a time: the caller's own (429), or everyone's (503)",
    remedy:
      "Ask again after `Retry-After`; a name, a namespace or `label=value` is answered from an index and doesn't wait.",
  },
  OBJECTS_FORBIDDEN: {
    httpStatus: 403,
    message: "{name} may not list {kinds} in {where}{clusters}.",
    hint: "`fairlead access explain` says which role would give it. Another namespace or cluster may be open to you.",
    meaning:
      "The caller may list none of the kinds, or none of the namespaces, that were asked for in any of the clusters.",
  },
  OBJECTS_KIND_NOT_OBSERVED: {
    httpStatus: 409,
    message: "No agent observes {kinds} in {clusters}.",
    hint: "{advice}",
    meaning: "There is such a kind, but in the copy of none of the clusters that were asked.",
    remedy:
      "Add it with the agent's `--observe-include` (chart: `observe.include`), or give a cluster without any copy an agent with the role `observe`.",
  },
  OBJECTS_KIND_UNKNOWN: {
    httpStatus: 404,
    message: "No cluster that you can see has a kind {kind}.",
    hint: "GET /api/v1/kinds has all that are known. One that an agent doesn't observe yet is added with --observe-include resource.group (chart: observe.include).",
    meaning: "No cluster that the caller may see has a kind of this name, and Kubernetes itself has none.",
  },
  OBJECTS_CURSOR_INVALID: {
    httpStatus: 400,
    message: "The cursor isn't this hub's, or it is of another query.",
    hint: "Take it from `next` of an answer to the same query, or begin again without one.",
    meaning: "A cursor isn't of this hub, or is of a query in another order.",
  },
  /** The same for what isn't there and for what may not be seen. */
  OBJECTS_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no such object that you can see.",
    hint: "It may be gone, not observed, or in a namespace that none of your roles is for.",
    meaning: "There is no such object, or the caller may not see it.",
  },
  OBJECTS_QUERY_INVALID: {
    httpStatus: 400,
    message: "The query can't be used: {problems}.",
    hint: "The API's description (packages/contract/openapi.json) has all parameters.",
    meaning: "A parameter of a query about objects isn't one, or has a value that it can't have.",
    remedy: "The message names it; `packages/contract/openapi.json` has all parameters.",
  },
} as const;

export const objectsErrors: Errors<typeof table> = defineErrors(table);

export function selectorInvalid(selector: string): FairleadError {
  return objectsErrors.OBJECTS_SELECTOR_INVALID({ selector: JSON.stringify(selector.slice(0, 200)) });
}

/** The same for what isn't there and for what the caller may not know of. */
export function unknownCluster(names: readonly string[]): FairleadError {
  return objectsErrors.OBJECTS_CLUSTER_UNKNOWN({
    of: names.length === 1 ? "" : "of these names: ",
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
      ? `Start the agent with --observe-include ${[...new Set(kinds)].slice(0, shownNames).join(",")} (chart: observe.include) and the right to read it. kubectl through the hub shows it without.`
      : "Nothing is observed there yet: an agent needs the role observe (`fairlead cluster token create NAME --role proxy --role observe --token-out FILE`), and for some kinds --observe-include.",
  });
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
