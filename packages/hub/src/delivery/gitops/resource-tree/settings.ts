// Makes the endpoint's settings of the hub's. The endpoint is never open: without a password it listens on loopback or not at all.
import { isIP } from "node:net";
import type { HubConfig } from "../../../platform/config/index.ts";
import { parseListen } from "../../../platform/server/index.ts";
import { resourceTreeErrors } from "./errors.ts";
import type { RedisAddress } from "./upstream.ts";

export interface TreeEndpoint {
  readonly listen: string;
  readonly isLoopback: boolean;
  readonly passwordFile: string | undefined;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly upstream: RedisAddress;
}

/** Undefined: there is to be none. Throws RESOURCE_TREE_SETTING_INVALID. */
export function readTreeEndpoint(config: HubConfig): TreeEndpoint | undefined {
  const { argoRedisListen: listen, argoRedisUpstream, argoRedisPasswordFile: passwordFile } = config;
  const { argoRedisTlsCertFile: certFile, argoRedisTlsKeyFile: keyFile } = config;
  const {
    argoRedisUpstreamUsername: username,
    argoRedisUpstreamPasswordFile,
    argoRedisUpstreamCaFile: caFile,
  } = config;
  const others = [argoRedisUpstream, passwordFile, certFile, keyFile, username, argoRedisUpstreamPasswordFile, caFile];
  if (listen === undefined) {
    if (others.every((other) => other === undefined)) return undefined;
    throw invalid("argo-redis-listen", "the other settings of the endpoint require it");
  }
  if (argoRedisUpstream === undefined)
    throw invalid("argo-redis-upstream", "the endpoint requires the Redis of the hub's Argo CD");
  const isLoopback = isOnLoopback(listen);
  if (passwordFile === undefined && !isLoopback)
    throw invalid("argo-redis-listen", "without --argo-redis-password-file it must be a loopback address");
  if ((certFile === undefined) !== (keyFile === undefined))
    throw invalid("argo-redis-tls-cert-file", "certificate and key must be set together");
  const { protocol, hostname, port } = new URL(argoRedisUpstream);
  const isTls = protocol === "rediss:";
  if (caFile !== undefined && !isTls) throw invalid("argo-redis-upstream-ca-file", "the upstream isn't rediss://");
  if (username !== undefined && argoRedisUpstreamPasswordFile === undefined)
    throw invalid("argo-redis-upstream-username", "it requires --argo-redis-upstream-password-file");
  return {
    listen,
    isLoopback,
    passwordFile,
    tls: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
    upstream: {
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || 6379),
      username,
      passwordFile: argoRedisUpstreamPasswordFile,
      tls: isTls ? { caFile } : undefined,
    },
  };
}

/** By the address alone: a name may mean another one tomorrow. */
function isOnLoopback(listen: string): boolean {
  const { host = "" } = parseListen(listen);
  return (isIP(host) === 4 && host.startsWith("127.")) || host === "::1";
}

function invalid(name: string, reason: string): Error {
  return resourceTreeErrors.RESOURCE_TREE_SETTING_INVALID({ name, reason });
}
