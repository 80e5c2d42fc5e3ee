/**
 * A request's path as both logs show it: what a query says stays only where Kubernetes gives its words and where they
 * are no one's secret. `exec` carries whole commands in it, and services behind `proxy` whatever their clients send.
 */
export function toLoggablePath(path: string): string {
  const at = path.indexOf("?");
  if (at < 0) return path;
  const pairs = path.slice(at + 1).split("&");
  return `${path.slice(0, at)}?${pairs.map(maskPair).join("&")}`;
}

function maskPair(pair: string): string {
  const [name = ""] = pair.split("=", 1);
  return name === pair || harmless.has(name) ? pair : `${name}=…`;
}

const harmless = new Set([
  ..."allowWatchBookmarks container dryRun fieldManager fieldValidation follow force limit limitBytes".split(" "),
  ..."orphanDependents previous propagationPolicy resourceVersion resourceVersionMatch sendInitialEvents".split(" "),
  ..."sinceSeconds stderr stdin stdout tailLines timeout timeoutSeconds timestamps tty watch".split(" "),
]);
