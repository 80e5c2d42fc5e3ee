import { isDnsLabel } from "@fairlead/kernel";

const clustersPrefix = "/k8s/clusters/";

/** Which cluster a request is for, and what. */
export interface Target {
  readonly cluster: string;
  /** In origin form, as its API server gets it. */
  readonly path: string;
  /** The hub's path of the cluster; empty for a host of its own. */
  readonly prefix: string;
}

export interface Asked {
  readonly url: string;
  readonly host?: string | undefined;
  /** Its subdomains are clusters. */
  readonly clusterDomain?: string | undefined;
}

/** True for URLs below the clusters' prefix, and for all URLs of a host in the clusters' domain. */
export function isForCluster(asked: Asked): boolean {
  return asked.url.startsWith(clustersPrefix) || hostLabelOf(asked) !== undefined;
}

/** `/k8s/clusters/NAME/rest?query`, or `/rest?query` of the host `NAME.DOMAIN`; undefined when it is neither. */
export function readTarget(asked: Asked): Target | undefined {
  const { url } = asked;
  const label = hostLabelOf(asked);
  if (label !== undefined) return url.startsWith("/") ? toTarget(label, url, "") : undefined;
  if (!url.startsWith(clustersPrefix)) return undefined;
  let end = clustersPrefix.length;
  while (end < url.length && url[end] !== "/" && url[end] !== "?") end += 1;
  const cluster = url.slice(clustersPrefix.length, end);
  return toTarget(cluster, url.slice(end), `${clustersPrefix}${cluster}`);
}

function toTarget(cluster: string, rest: string, prefix: string): Target | undefined {
  if (!isDnsLabel(cluster) || hasDotSegment(rest)) return undefined;
  return { cluster, path: rest.startsWith("/") ? rest : `/${rest}`, prefix };
}

/** The host without the clusters' domain, in lower case and without a port. */
function hostLabelOf({ host, clusterDomain }: Asked): string | undefined {
  if (clusterDomain === undefined || host === undefined) return undefined;
  const name = host.toLowerCase().replace(/\.?(?::\d*)?$/, "");
  return name.endsWith(`.${clusterDomain}`) ? name.slice(0, -clusterDomain.length - 1) : undefined;
}

/** Kubectl begins with these paths, by calls that show nothing of an error's body. */
export function isRootDiscovery(path: string): boolean {
  return /^\/(?:apis?|version|openapi\/v[23])\/?(?:\?|$)/.test(path);
}

// An API server behind a path prefix of its own could be left through them; no client sends them.
function hasDotSegment(rest: string): boolean {
  if (!rest.includes("/.") && !rest.includes("%2") && !rest.includes("\\")) return false;
  const query = rest.indexOf("?");
  return dotSegment.test(query < 0 ? rest : rest.slice(0, query));
}

const dotSegment = /[/\\](?:\.|%2e){1,2}(?:[/\\]|%2f|%5c|$)|(?:%2f|%5c)(?:\.|%2e){1,2}(?:[/\\]|%2f|%5c|$)/i;
