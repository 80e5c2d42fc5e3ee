import type { ClusterAccess } from "../cluster/index.ts";
import { type ArgoCli, openArgoCli } from "./open-argo-cli.ts";
import { type Argo, type ArgoOptions, prepareArgoCd } from "./prepare-argo-cd.ts";
import { startApplicationSetController } from "./start-application-set-controller.ts";
import { type ArgoServer, startArgoServer } from "./start-argo-server.ts";
import { startRedis, type TestRedis } from "./start-redis.ts";
import { type RepoServer, startRepoServer } from "./start-repo-server.ts";

export interface ArgoHub extends AsyncDisposable {
  readonly argo: Argo;
  readonly redis: TestRedis;
  readonly repoServer: RepoServer;
  readonly server: ArgoServer;
  readonly cli: ArgoCli;
}

export interface ArgoHubOptions extends ArgoOptions {
  /** Have them make applications. */
  readonly applicationSets?: boolean;
  readonly redisPassword?: string;
  readonly serverArgs?: readonly string[];
}

/** As much of Argo CD as people look at: nothing here syncs. */
export async function startArgoHub(cluster: ClusterAccess, options: ArgoHubOptions = {}): Promise<ArgoHub> {
  const { applicationSets = false, redisPassword, serverArgs = [], ...rest } = options;
  await using undo = new AsyncDisposableStack();
  const redis = undo.use(await startRedis({ password: redisPassword }));
  const repoServer = undo.use(await startRepoServer({ redis }));
  const argo = await prepareArgoCd(cluster, rest);
  if (applicationSets) undo.use(await startApplicationSetController(argo, { repoServer }));
  const server = undo.use(await startArgoServer(argo, { redis, repoServer, extraArgs: serverArgs }));
  const cli = undo.use(await openArgoCli(server));
  const owned = undo.move();
  return { argo, redis, repoServer, server, cli, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
