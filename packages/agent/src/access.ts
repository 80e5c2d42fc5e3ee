import { createHash } from "node:crypto";
import { join } from "node:path";
import { type ClusterAccess, inClusterConfig, isInCluster, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { type AgentConfig, clusterAccessMissing } from "./config/index.ts";
import { createFileStorage, createSecretStorage, type IdentityStorage } from "./identity/index.ts";

/** A kubeconfig when one was given, otherwise the pod's service account. */
export function openAccess(config: AgentConfig): Promise<ClusterAccess> {
  const { kubeconfig: path, context, env } = config;
  if (path !== undefined) return loadKubeconfig({ path, context, env });
  if (isInCluster(env)) return inClusterConfig({ env });
  return Promise.reject(clusterAccessMissing());
}

/** The folder or the Secret that was named, a Secret in a pod, otherwise a folder of this hub and this API server. */
export function chooseStorage(config: AgentConfig, client: KubeClient): IdentityStorage {
  if (config.stateDir !== undefined) return createFileStorage({ folder: config.stateDir });
  const { identitySecret: name } = config;
  if (name !== undefined) return createSecretStorage({ client, name });
  if (config.kubeconfig === undefined) return createSecretStorage({ client });
  const key = `${config.hub.origin} ${client.access.server.origin}`;
  const folder = createHash("sha256").update(key).digest("hex").slice(0, 16);
  return createFileStorage({ folder: join(config.stateHome, folder) });
}
