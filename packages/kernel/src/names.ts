/** A DNS label (RFC 1123), as Kubernetes uses it: cluster names are part of URLs, certificates and file names. */
export function isDnsLabel(name: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name);
}

/**
 * Names that a cluster of the hub can't have, because they mean something else there: Argo CD's own cluster and namespace,
 * namespaces of Kubernetes, and the hub itself.
 */
export function isReservedClusterName(name: string): boolean {
  return /^(?:in-cluster|argocd|default|fairlead|system|kube-.*)$/.test(name);
}

/**
 * The cluster's own users and groups, which nobody becomes from outside: `system:masters`, `system:kube-scheduler` …
 * Wider than what Kubernetes compares with, so that no way of writing one slips past.
 */
export function isSystemName(name: string): boolean {
  return /^\s*system:/i.test(name);
}
