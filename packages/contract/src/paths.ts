/** Where things are on the hub's listener for people and tools. */
export const paths: {
  readonly version: string;
  readonly whoami: string;
  readonly ca: string;
  readonly clusters: string;
  cluster(name: string): string;
  clusterTokens(name: string): string;
  clusterRevoke(name: string): string;
  clusterAlarmSeen(name: string, id: string): string;
  /** The cluster's own API server, proxied. */
  clusterApi(name: string): string;
} = {
  version: "/api/v1/version",
  whoami: "/api/v1/whoami",
  ca: "/ca.pem",
  clusters: "/api/v1/clusters",
  cluster: (name) => `/api/v1/clusters/${encodeURIComponent(name)}`,
  clusterTokens: (name) => `/api/v1/clusters/${encodeURIComponent(name)}/tokens`,
  clusterRevoke: (name) => `/api/v1/clusters/${encodeURIComponent(name)}/revoke`,
  clusterAlarmSeen: (name, id) => `/api/v1/clusters/${encodeURIComponent(name)}/alarms/${encodeURIComponent(id)}/seen`,
  clusterApi: (name) => `/k8s/clusters/${encodeURIComponent(name)}`,
};
