// Checks settings that depend on each other.
import { settingErrors } from "@fairlead/kernel/settings";
import { checkMesh } from "./check-mesh.ts";
import type { HubConfig } from "./settings.ts";

export function checkTogether(config: HubConfig): void {
  checkFiles(config);
  checkDatabase(config);
  checkBus(config);
  checkClusterDomain(config);
  checkSignIn(config);
  checkArgo(config);
  checkMesh(config);
}

function checkFiles(config: HubConfig): void {
  if ((config.tlsCertFile === undefined) !== (config.tlsKeyFile === undefined))
    throw invalid("--tls-cert-file", "it must be set together with --tls-key-file");
  if ((config.caCertFile === undefined) !== (config.caKeyFile === undefined))
    throw invalid("--ca-cert-file", "it must be set together with --ca-key-file");
  if (config.caCertFile !== undefined && !config.inMemory)
    throw invalid("--ca-cert-file", "it requires --in-memory: a hub that keeps its data keeps its own authority");
  const next = [config.nextCaCertFile, config.nextCaKeyFile].filter((file) => file !== undefined);
  if (next.length === 1 || (next.length > 0 && config.caCertFile === undefined))
    throw invalid("--next-ca-cert-file", "it must be set together with --next-ca-key-file and --ca-cert-file");
  if (config.previousKeyEncryptionKeyFile !== undefined && config.keyEncryptionKeyFile === undefined)
    throw invalid("--previous-key-encryption-key-file", "it requires --key-encryption-key-file");
}

function checkDatabase(config: HubConfig): void {
  if (config.databaseUrl !== undefined && config.databaseUrlFile !== undefined)
    throw invalid("--database-url", "it can't be combined with --database-url-file");
  if (hasDatabase(config) && config.inMemory)
    throw invalid("--in-memory", "it can't be combined with --database-url, which keeps the data");
  if (config.hubAddress === undefined) return;
  if (!hasDatabase(config)) throw invalid("--hub-address", "several hubs need one database: set --database-url");
  if (config.keyEncryptionKeyFile === undefined)
    throw invalid(
      "--hub-address",
      "several hubs keep the authority's private key in their database, encrypted: set --key-encryption-key-file",
    );
}

function checkBus(config: HubConfig): void {
  if (config.busListenUrl !== undefined && config.busListenUrlFile !== undefined)
    throw invalid("--bus-listen-url", "it can't be combined with --bus-listen-url-file");
  const listens = config.busListenUrl !== undefined || config.busListenUrlFile !== undefined;
  if (listens && !hasDatabase(config))
    throw invalid("--bus-listen-url", "it requires --database-url: without it there is no other hub to listen to");
  if ((config.busNatsCertFile === undefined) !== (config.busNatsKeyFile === undefined))
    throw invalid("--bus-nats-cert-file", "it must be set together with --bus-nats-key-file");
  const natsFiles = [config.busNatsCaFile, config.busNatsCertFile, config.busNatsCredentialsFile];
  if (config.busNatsUrl === undefined && natsFiles.some((file) => file !== undefined))
    throw invalid("--bus-nats-url", "the other settings for NATS require it");
}

/** Else the hub would take its own addresses for clusters'. */
function checkClusterDomain({ clusterDomain, publicUrl, agentPublicUrl }: HubConfig): void {
  const urls = clusterDomain === undefined ? [] : [publicUrl ?? [], agentPublicUrl ?? []].flat();
  if (urls.some((url) => new URL(url).hostname.endsWith(`.${clusterDomain}`)))
    throw invalid("--cluster-domain", "the hub's own URLs are in it: choose a domain for clusters alone");
}

function checkSignIn(config: HubConfig): void {
  if ((config.oidcIssuer === undefined) !== (config.oidcClientId === undefined))
    throw invalid("--oidc-issuer", "it must be set together with --oidc-client-id");
  if (config.firstAdminTokenEnds && config.oidcIssuer === undefined)
    throw invalid("--first-admin-token-ends", "it requires --oidc-issuer: nobody else could take the token's place");
  if (!config.oidcScopes.includes("openid")) throw invalid("--oidc-scopes", "the scope openid is missing");
}

function checkArgo(config: HubConfig): void {
  if (config.argoClusterSecrets && (config.argoKubeconfig === undefined || config.publicUrl === undefined))
    throw invalid(
      "--argo-cluster-secrets",
      "it requires --argo-kubeconfig and --public-url, at which Argo CD reaches clusters",
    );
  const isShared = config.argoSharedRedis !== undefined || config.argoSharedRepoServer !== undefined;
  if (isShared !== config.argoShareWith.length > 0)
    throw invalid("--argo-share-with", "it must be set together with --argo-shared-redis or --argo-shared-repo-server");
  if (config.argoSharedRedis !== undefined && !config.argoShareOneRedis && isRedisOfSeveral(config))
    throw invalid(
      "--argo-shared-redis",
      "its users could read and write each other's keys: give each cluster its own Redis by {cluster} in the address, or set --argo-share-one-redis",
    );
}

function hasDatabase({ databaseUrl, databaseUrlFile }: HubConfig): boolean {
  return databaseUrl !== undefined || databaseUrlFile !== undefined;
}

/** Several clusters, or a cluster and the hub's Argo CD. */
function isRedisOfSeveral({ argoSharedRedis = "", argoShareWith, argoRedisUpstream }: HubConfig): boolean {
  if (argoSharedRedis.includes("{cluster}")) return false;
  const isOfHub = argoRedisUpstream !== undefined && new URL(argoRedisUpstream).host === argoSharedRedis;
  return isOfHub || argoShareWith.includes("*") || new Set(argoShareWith).size > 1;
}

function invalid(name: string, reason: string): Error {
  return settingErrors.CONFIG_INVALID({ name, reason, program: "fairlead-hub" });
}
