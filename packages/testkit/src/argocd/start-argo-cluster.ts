import type { ClusterAccess } from "../cluster/index.ts";
import { type Argo, type ArgoOptions, prepareArgoCd } from "./prepare-argo-cd.ts";
import { startApplicationController } from "./start-application-controller.ts";
import type { ArgoProgram } from "./start-argo-program.ts";
import { startRedis, type TestRedis } from "./start-redis.ts";
import { type RepoServer, startRepoServer } from "./start-repo-server.ts";

export interface ArgoCluster extends AsyncDisposable {
  readonly argo: Argo;
  readonly redis: TestRedis;
  readonly repoServer: RepoServer;
  readonly controller: ArgoProgram;
}

export interface ArgoClusterOptions extends ArgoOptions {
  readonly redisPassword?: string;
  /** Arguments of the controller and of the repo-server, such as how often they look for new commits. */
  readonly controllerArgs?: readonly string[];
  readonly repoServerArgs?: readonly string[];
}

/** As much of Argo CD as syncs applications into this cluster. */
export async function startArgoCluster(cluster: ClusterAccess, options: ArgoClusterOptions = {}): Promise<ArgoCluster> {
  const { redisPassword, controllerArgs = [], repoServerArgs = [], ...rest } = options;
  await using undo = new AsyncDisposableStack();
  const redis = undo.use(await startRedis({ password: redisPassword }));
  const repoServer = undo.use(await startRepoServer({ redis, extraArgs: repoServerArgs }));
  const argo = await prepareArgoCd(cluster, rest);
  const started = await startApplicationController(argo, { redis, repoServer, extraArgs: controllerArgs });
  const controller = undo.use(started);
  const owned = undo.move();
  return { argo, redis, repoServer, controller, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
