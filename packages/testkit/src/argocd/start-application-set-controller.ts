import type { Argo } from "./prepare-argo-cd.ts";
import { type ArgoProgram, startArgoProgram } from "./start-argo-program.ts";
import type { RepoServer } from "./start-repo-server.ts";

export interface ApplicationSetControllerOptions {
  readonly repoServer: RepoServer;
  /** Come last, so that they win. */
  readonly extraArgs?: readonly string[];
}

export function startApplicationSetController(
  { cluster, namespace, applicationNamespaces }: Argo,
  { repoServer, extraArgs = [] }: ApplicationSetControllerOptions,
): Promise<ArgoProgram> {
  const kubeconfig = cluster.adminKubeconfig;
  return startArgoProgram({
    name: "argocd-applicationset-controller",
    portCount: 3,
    args: ([metricsPort, probePort, webhookPort]) => [
      "--kubeconfig",
      kubeconfig,
      "--namespace",
      namespace,
      "--argocd-repo-server",
      repoServer.address,
      "--repo-server-plaintext",
      "--metrics-addr",
      `127.0.0.1:${metricsPort}`,
      "--probe-addr",
      `127.0.0.1:${probePort}`,
      "--webhook-addr",
      `127.0.0.1:${webhookPort}`,
      // It refuses other namespaces while it may ask hosts of repositories.
      "--enable-scm-providers=false",
      ...applicationNamespaces.flatMap((name) => ["--applicationset-namespaces", name]),
      ...extraArgs,
    ],
    // It makes a second client, which looks here.
    env: () => ({ KUBECONFIG: kubeconfig }),
    // The address for probes answers 404 to all.
    readyWhen: async ([metricsPort]) => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).ok,
  });
}
