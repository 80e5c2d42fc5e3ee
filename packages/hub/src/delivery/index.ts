// The wing of delivery: what clusters are to run, and what they run.
import { forComponent } from "@fairlead/kernel";
import { argoCaller } from "@fairlead/protocol";
import { createOwnRobot } from "../people/access/index.ts";
import type { People } from "../people/index.ts";
import { readEnvironment } from "../platform/config/index.ts";
import type { Platform } from "../platform/index.ts";
import type { Additions } from "../platform/server/index.ts";
import type { Reach } from "../reach/index.ts";
import type { AddServices } from "../reach/links/index.ts";
import {
  argoRole,
  argoTokenTtlMs,
  createGitopsSettingsStore,
  createSharedBackends,
  openGitops,
  openResourceTrees,
  readSharedTargets,
} from "./gitops/index.ts";

export interface Delivery extends AsyncDisposable {
  readonly addServices: AddServices;
  /** Calls that a cluster's agents may have open at once beyond what all may. */
  readonly moreCalls: (cluster: string) => number;
  readonly additions: Additions;
  /** Ends all calls of agents and lets no new ones begin, so that links can drain. */
  stop(): void;
}

export async function openDelivery(
  { config, clock, log, store, leases, changes, keySeal, pki, tracer, hubInstanceId }: Platform,
  { access }: Pick<People, "access">,
  { clusters, connections }: Pick<Reach, "clusters" | "connections">,
): Promise<Delivery> {
  await using undo = new AsyncDisposableStack();
  const { argoNamespace, argoApplicationNamespaces: applicationNamespaces = [] } = config;
  const gitops = undo.use(
    await openGitops({
      db: store.db,
      queries: store.queries,
      access,
      clusters,
      leases,
      changes,
      clock,
      log: forComponent(log, "hub/gitops"),
      seal: keySeal,
      hubInstanceId,
      tracer,
      kubeconfig: config.argoKubeconfig,
      applicationNamespaces,
      sharing: {
        argoNamespace,
        sharesGlobalRepositories: config.argoShareGlobalRepositories,
        publicUrl: config.publicUrl,
        mirrors: {
          actions: config.argoMirrorActions,
          groups: config.argoMirrorGroups,
          labels: config.argoMirrorLabels,
        },
      },
      argoReach: config.argoClusterSecrets
        ? {
            robot: createOwnRobot({
              access,
              clock,
              name: argoCaller.robot,
              owner: pki.trustDomain,
              role: argoRole,
              description: "Of Argo CD on the hub. The hub makes it.",
              tokenTtlMs: argoTokenTtlMs,
            }),
            caPem: () => (config.tlsCertFile === undefined ? pki.caPem : undefined),
          }
        : undefined,
      environment: readEnvironment(),
    }),
  );
  const settings = createGitopsSettingsStore(store.queries);
  const { findApplication, countApplications } = gitops;
  const trees = undo.use(
    await openResourceTrees({
      config,
      settings,
      clusters,
      findApplication,
      countApplications,
      connections,
      clock,
      log: forComponent(log, "hub/gitops"),
      rules: { argoNamespace, applicationNamespaces },
    }),
  );
  const targets = readSharedTargets(config);
  const backends = targets && createSharedBackends({ targets, clock });
  const owned = undo.move();
  return {
    addServices(router, peer) {
      gitops.addServices(router, peer);
      backends?.addServices(router, peer);
    },
    moreCalls: (cluster) => backends?.mostCalls(cluster) ?? 0,
    additions: { signedInRoutes: [...gitops.routes], metrics: { gitops: gitops.totals } },
    stop() {
      gitops.stop();
      trees?.stop();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
