import { FairleadError } from "@fairlead/kernel";

export function selectorInvalid(selector: string): FairleadError {
  return new FairleadError({
    code: "OBJECTS_SELECTOR_INVALID",
    message: `${JSON.stringify(selector.slice(0, 200))} isn't a selector.`,
    hint: "Labels: app=web, app!=web, app in (a,b), app notin (a), app, !app. Fields: spec.nodeName=a, status.phase!=Running. Several are separated by commas.",
    httpStatus: 400,
  });
}

/** The same for what isn't there and for what the caller may not know of. */
export function clusterUnknown(names: readonly string[]): FairleadError {
  return new FairleadError({
    code: "OBJECTS_CLUSTER_UNKNOWN",
    message: `You see no cluster ${names.length === 1 ? "" : "of these names: "}${quoteSome(names)}.`,
    hint: "`fairlead cluster list` shows those that you see.",
    httpStatus: 404,
  });
}

/** Whether there are any clusters isn't said. */
export function noClusterVisible(name: string): FairleadError {
  return new FairleadError({
    code: "OBJECTS_NO_CLUSTER_VISIBLE",
    message: `None of the roles of ${JSON.stringify(name)} is for any cluster.`,
    hint: "An admin gives a role on clusters: `fairlead access bind`.",
    httpStatus: 403,
  });
}

/** `own`: the caller's share is used up; `hub`: that of all. */
export function tooBusy(share: "own" | "hub"): FairleadError {
  return new FairleadError({
    code: "OBJECTS_TOO_BUSY",
    message: `There are too many questions at a time that look at every object${share === "own" ? ", all of them yours" : ""}.`,
    hint: "Ask again in a moment. Searches, field selectors and sets of labels are such; a name, a namespace or `label=value` is not.",
    httpStatus: share === "own" ? 429 : 503,
    retryable: true,
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
  return new FairleadError({
    code: "OBJECTS_FORBIDDEN",
    message: `${JSON.stringify(name)} may not list ${listSome(kinds)} in ${where}${nameClusters(clusters)}.`,
    hint: "`fairlead access explain` says which role would give it. Another namespace or cluster may be open to you.",
    httpStatus: 403,
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
  return new FairleadError({
    code: "OBJECTS_KIND_NOT_OBSERVED",
    message: `No agent observes ${listSome(kinds)} in ${nameClusters(clusters)}.`,
    hint: isObserved
      ? `Start the agent with --observe-include ${[...new Set(kinds)].slice(0, shownNames).join(",")} (chart: observe.include) and the right to read it. kubectl through the hub shows it without.`
      : "Nothing is observed there yet: an agent needs the role observe (`fairlead cluster add NAME --role proxy --role observe`), and for some kinds --observe-include.",
    httpStatus: 409,
  });
}

export function kindUnknown(kind: string): FairleadError {
  return new FairleadError({
    code: "OBJECTS_KIND_UNKNOWN",
    message: `No cluster that you can see has a kind ${JSON.stringify(kind.slice(0, 200))}.`,
    hint: "GET /api/v1/kinds has all that are known. One that an agent doesn't observe yet is added with --observe-include resource.group (chart: observe.include).",
    httpStatus: 404,
  });
}

export function cursorInvalid(): FairleadError {
  return new FairleadError({
    code: "OBJECTS_CURSOR_INVALID",
    message: "The cursor isn't one of this hub, or of another query.",
    hint: "Take it from `next` of an answer to the same query, or begin again without one.",
    httpStatus: 400,
  });
}

/** The same for what isn't there and for what may not be seen. */
export function objectNotFound(): FairleadError {
  return new FairleadError({
    code: "OBJECTS_NOT_FOUND",
    message: "There is no such object that you can see.",
    hint: "It may be gone, not observed, or in a namespace that none of your roles is for.",
    httpStatus: 404,
  });
}

export function queryInvalid(problems: string): FairleadError {
  return new FairleadError({
    code: "OBJECTS_QUERY_INVALID",
    message: `The query can't be used: ${problems}.`,
    hint: "The API's description (packages/contract/openapi.json) has all parameters.",
    httpStatus: 400,
  });
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
