export type { ClusterAccess, Environment } from "./access.ts";
export { type InClusterOptions, inClusterConfig, isInCluster } from "./in-cluster.ts";
export { type KubeconfigOptions, loadKubeconfig } from "./kubeconfig.ts";
