import { readFile } from "node:fs/promises";
import { networkUnavailable } from "../errors.ts";
import { ensureTools } from "../tools/index.ts";
import type { Argo } from "./prepare-argo-cd.ts";
import { type ArgoProgram, redisEnvironment, startArgoProgram } from "./start-argo-program.ts";
import type { TestRedis } from "./start-redis.ts";
import type { RepoServer } from "./start-repo-server.ts";

export interface ApplicationControllerOptions {
  readonly redis: TestRedis;
  readonly repoServer: RepoServer;
  /** Come last, so that they win. */
  readonly extraArgs?: readonly string[];
}

/**
 * It serves metrics on every address of the machine, and no flag changes that. So it gets a network of its own, where the
 * kernel grants one; elsewhere it fails as a tool that is missing does, and its tests are skipped.
 */
export async function startApplicationController(
  argo: Argo,
  { redis, repoServer, extraArgs = [] }: ApplicationControllerOptions,
): Promise<ArgoProgram> {
  const { seclude } = await ensureTools(["seclude"]);
  const kubeconfig = argo.cluster.adminKubeconfig;
  const reached = [Number(new URL(argo.cluster.url).port), redis.port, repoServer.port];
  // The log goes on when it is stopped and started again.
  let searchFrom = 0;
  const starting = startArgoProgram({
    name: "argocd-application-controller",
    wrapper: [seclude, ...reached.flatMap((port) => ["--port", `${port}`]), "--"],
    portCount: 1,
    args: ([metricsPort]) => [
      "--kubeconfig",
      kubeconfig,
      "--namespace",
      argo.namespace,
      "--metrics-port",
      `${metricsPort}`,
      "--redis",
      redis.address,
      "--repo-server",
      repoServer.address,
      "--repo-server-plaintext",
      ...argo.applicationNamespaces.flatMap((name) => ["--application-namespaces", name]),
      ...extraArgs,
    ],
    // Both are needed for applications whose destination is the cluster that this runs in.
    env: () => ({ ...redisEnvironment(redis), KUBECONFIG: kubeconfig, ARGOCD_FAKE_IN_CLUSTER: "true" }),
    readyWhen: async (_ports, { logFile }) => {
      const log = await readFile(logFile, "utf8");
      const isReady = log.includes(startedLine, searchFrom);
      if (isReady) searchFrom = log.length;
      return isReady;
    },
  });
  return starting.catch((error: unknown) => {
    const isRefused = error instanceof Error && error.message.includes("there can be no network of its own");
    throw isRefused ? networkUnavailable(error) : error;
  });
}

/** It has reached the API server. It says so once. */
const startedLine = "Cluster cache informer synced";
