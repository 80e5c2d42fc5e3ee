// The wing of delivery: what clusters are to run, and what they run.
import type { People } from "../people/index.ts";
import { readEnvironment } from "../platform/config/index.ts";
import type { Platform } from "../platform/index.ts";
import type { Additions } from "../platform/server/index.ts";
import type { Reach } from "../reach/index.ts";
import type { AddServices } from "../reach/links/index.ts";
import { openGitops } from "./gitops/index.ts";

export interface Delivery extends AsyncDisposable {
  readonly addServices: AddServices;
  readonly additions: Additions;
  /** Ends all calls of agents and lets no new ones begin, so that links can drain. */
  stop(): void;
}

export async function openDelivery(
  { config, clock, log, store, leases, changes, keySeal, hubInstanceId }: Platform,
  { access }: Pick<People, "access">,
  { clusters }: Pick<Reach, "clusters">,
): Promise<Delivery> {
  const gitops = await openGitops({
    ...{ db: store.db, queries: store.queries, access, clusters, leases, changes, clock, log },
    ...{ seal: keySeal, hubInstanceId },
    kubeconfig: config.argoKubeconfig,
    sharing: {
      argoNamespace: config.argoNamespace,
      sharesGlobalRepositories: config.argoShareGlobalRepositories,
      publicUrl: config.publicUrl,
    },
    environment: readEnvironment(),
  });
  return {
    addServices: gitops.addServices,
    additions: { signedInRoutes: [...gitops.routes], metrics: { gitops: gitops.totals } },
    stop: gitops.stop,
    [Symbol.asyncDispose]: () => gitops[Symbol.asyncDispose](),
  };
}
