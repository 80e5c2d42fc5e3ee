// Where the hub answers besides its operations.

/** Its CA's certificates, PEM. */
export const caPath = "/ca.pem";

/** All operations are below it. */
export const apiPrefix = "/api/v1/";

/** The live socket. */
export const livePath = "/api/v1/live";

/** A cluster's own API server, proxied. */
export function clusterApiPath(cluster: string): string {
  return `/k8s/clusters/${encodeURIComponent(cluster)}`;
}

export const liveSubprotocol = "fairlead.live.v1";

/** On every answer of the hub's API: fingerprints of the CAs whose certificates it may show, separated by commas. */
export const caHeader = "fairlead-ca";
