// Where the hub answers besides its operations.

/** Its CA's certificates, PEM. */
export const caPath = "/ca.pem";

/** The live socket. */
export const livePath = "/api/v1/live";

/** A cluster's own API server, proxied. */
export function clusterApiPath(cluster: string): string {
  return `/k8s/clusters/${encodeURIComponent(cluster)}`;
}
