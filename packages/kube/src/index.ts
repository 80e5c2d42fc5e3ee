export type { ClusterAccess, Environment } from "./access.ts";
export { createKubeClient, type KubeClient, type KubeRequest } from "./client.ts";
export { type InClusterOptions, inClusterConfig, isInCluster } from "./in-cluster.ts";
export { type KubeconfigOptions, loadKubeconfig } from "./kubeconfig.ts";
export { isLasting } from "./lasting.ts";
export { createKubePool, type KubePool } from "./pool.ts";
export { type RequestAttributes, readRequestAttributes } from "./request-attributes.ts";
export { type KubeStatus, statusOf, toKubeError } from "./status.ts";
