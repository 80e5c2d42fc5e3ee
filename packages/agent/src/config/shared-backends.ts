import { settingInvalid } from "./errors.ts";
import { type ListenAddress, toListenAddress } from "./listen-address.ts";
import type { Settings } from "./settings.ts";

/** Where the agent listens for its cluster's Argo CD, which then uses what the hub shares. Undefined: nowhere. */
export interface SharedBackendsConfig {
  readonly redis: ListenAddress | undefined;
  readonly repoServer: ListenAddress | undefined;
}

export function toSharedBackends(settings: Settings): SharedBackendsConfig {
  const { argoHubRedisListen, argoHubRepoServerListen, roles } = settings;
  const named = {
    "--argo-hub-redis-listen": argoHubRedisListen,
    "--argo-hub-repo-server-listen": argoHubRepoServerListen,
  };
  for (const [name, value] of Object.entries(named))
    if (value !== undefined && !roles.includes("gitops")) throw settingInvalid(name, "it requires the role gitops");
  return { redis: toAddress(argoHubRedisListen), repoServer: toAddress(argoHubRepoServerListen) };
}

function toAddress(text: string | undefined): ListenAddress | undefined {
  return text === undefined ? undefined : toListenAddress(text);
}
