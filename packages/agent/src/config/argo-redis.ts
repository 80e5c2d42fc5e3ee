import { settingInvalid } from "./errors.ts";
import type { Settings } from "./settings.ts";

/** How the agent reaches the Redis of its cluster's Argo CD. */
export interface ArgoRedisConfig {
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly passwordFile: string | undefined;
  /** Undefined: without TLS. */
  readonly tls: { readonly caFile: string | undefined } | undefined;
}

export function toArgoRedis(settings: Settings): ArgoRedisConfig | undefined {
  const { argoRedisAddress, argoRedisUsername, argoRedisPasswordFile, argoRedisTls, argoRedisCaFile } = settings;
  if (argoRedisAddress === undefined) {
    const isSet = argoRedisUsername ?? argoRedisPasswordFile ?? argoRedisCaFile ?? argoRedisTls;
    if (isSet === undefined) return undefined;
    throw settingInvalid("--argo-redis-address", "the other settings for that Redis require it");
  }
  if (!settings.roles.includes("gitops")) throw settingInvalid("--argo-redis-address", "it requires the role gitops");
  if (argoRedisUsername !== undefined && argoRedisPasswordFile === undefined)
    throw settingInvalid("--argo-redis-username", "it requires --argo-redis-password-file");
  if (argoRedisCaFile !== undefined && argoRedisTls === false)
    throw settingInvalid("--argo-redis-ca-file", "it can't be combined with --argo-redis-tls=false");
  const at = argoRedisAddress.lastIndexOf(":");
  return {
    host: argoRedisAddress.slice(0, at).replace(/^\[|\]$/g, ""),
    port: Number(argoRedisAddress.slice(at + 1)),
    username: argoRedisUsername,
    passwordFile: argoRedisPasswordFile,
    tls: argoRedisTls === true || argoRedisCaFile !== undefined ? { caFile: argoRedisCaFile } : undefined,
  };
}
