import { readFile } from "node:fs/promises";
import { type Clock, systemClock } from "@fairlead/kernel";
import { kubeErrors } from "../errors/index.ts";
import type { ClusterAccess, Environment } from "./access.ts";
import { createTokenFile } from "./token-file.ts";

export interface InClusterOptions {
  readonly env: Environment;
  readonly clock?: Clock | undefined;
  /** Where the service account is mounted. */
  readonly folder?: string | undefined;
}

/** True in a pod: Kubernetes sets these variables in every container. */
export function isInCluster(env: Environment): boolean {
  return Boolean(env["KUBERNETES_SERVICE_HOST"] && env["KUBERNETES_SERVICE_PORT"]);
}

/** Access by the pod's own service account. */
export async function inClusterConfig(options: InClusterOptions): Promise<ClusterAccess> {
  const { env, clock = systemClock, folder = "/var/run/secrets/kubernetes.io/serviceaccount" } = options;
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port)
    throw kubeErrors.KUBE_NOT_IN_CLUSTER({ detail: "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT aren't set" });
  const [ca, namespace] = await Promise.all([
    readFile(`${folder}/ca.crt`, "utf8"),
    readFile(`${folder}/namespace`, "utf8"),
  ]).catch((error: unknown) => {
    throw kubeErrors.KUBE_NOT_IN_CLUSTER({ detail: `${folder} can't be read`, cause: error });
  });
  const authorization = createTokenFile({ path: `${folder}/token`, clock });
  return {
    server: new URL(`https://${host.includes(":") ? `[${host}]` : host}:${port}`),
    ca,
    insecureSkipTlsVerify: false,
    authorization,
    namespace: namespace.trim(),
  };
}
