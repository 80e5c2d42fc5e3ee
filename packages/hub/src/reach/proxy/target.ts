import { isDnsLabel } from "@fairlead/kernel";

export const clustersPrefix = "/k8s/clusters/";

/** `/k8s/clusters/NAME/rest?query` as cluster and origin-form path; undefined when it isn't one. */
export function readTarget(url: string): { readonly cluster: string; readonly path: string } | undefined {
  if (!url.startsWith(clustersPrefix)) return undefined;
  let end = clustersPrefix.length;
  while (end < url.length && url[end] !== "/" && url[end] !== "?") end += 1;
  const cluster = url.slice(clustersPrefix.length, end);
  if (!isDnsLabel(cluster)) return undefined;
  const rest = url.slice(end);
  if (hasDotSegment(rest)) return undefined;
  return { cluster, path: rest.startsWith("/") ? rest : `/${rest}` };
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
