import { configErrors } from "./errors.ts";
import type { Settings } from "./schema.ts";

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
    throw invalid("--argo-redis-address", "is missing: without it the other settings for that Redis mean nothing");
  }
  if (!settings.roles.includes("gitops")) throw invalid("--argo-redis-address", "goes with the role gitops");
  if (argoRedisUsername !== undefined && argoRedisPasswordFile === undefined)
    throw invalid("--argo-redis-username", "goes with --argo-redis-password-file");
  if (argoRedisCaFile !== undefined && argoRedisTls === false)
    throw invalid("--argo-redis-ca-file", "means nothing without TLS");
  const at = argoRedisAddress.lastIndexOf(":");
  return {
    host: argoRedisAddress.slice(0, at).replace(/^\[|\]$/g, ""),
    port: Number(argoRedisAddress.slice(at + 1)),
    username: argoRedisUsername,
    passwordFile: argoRedisPasswordFile,
    tls: argoRedisTls === true || argoRedisCaFile !== undefined ? { caFile: argoRedisCaFile } : undefined,
  };
}

function invalid(name: string, detail: string): Error {
  return configErrors.CONFIG_SETTING_INVALID({ name, detail });
}
