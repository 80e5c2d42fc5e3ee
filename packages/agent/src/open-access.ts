import { type ClusterAccess, inClusterConfig, isInCluster, loadKubeconfig } from "@fairlead/kube";
import { type AgentConfig, configErrors } from "./config/index.ts";

/** A kubeconfig when one was given, otherwise the pod's service account. */
export function openAccess(config: AgentConfig): Promise<ClusterAccess> {
  const { kubeconfig: path, context, env } = config;
  if (path !== undefined) return loadKubeconfig({ path, context, env });
  if (isInCluster(env)) return inClusterConfig({ env });
  return Promise.reject(configErrors.CONFIG_CLUSTER_ACCESS_MISSING());
}
