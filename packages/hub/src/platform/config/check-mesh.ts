// Checks the settings for a mesh's identities together. A hub that took them half set would let anybody in.
import { configErrors } from "./errors.ts";
import type { HubConfig } from "./hub-config.ts";
import { groupsOf } from "./kinds.ts";
import { toFlag } from "./names.ts";

export function checkMesh(config: HubConfig): void {
  const { meshIdentityHeader, meshIdentityPattern, meshIdentityPeers, meshIdentityRoles, agentPublicUrl } = config;
  const isPlaintext = config.meshIdentityPlaintext;
  if (agentPublicUrl?.startsWith("http:") && !isPlaintext) {
    throw invalid("agentPublicUrl", "it isn't https://HOST or https://HOST:PORT");
  }
  if (meshIdentityHeader === undefined) {
    const isSet = meshIdentityPattern ?? meshIdentityPeers[0] ?? meshIdentityRoles?.[0];
    if (isSet !== undefined || isPlaintext)
      throw invalid("meshIdentityHeader", "without it the other settings for a mesh mean nothing");
    return;
  }
  if (meshIdentityPattern === undefined)
    throw invalid("meshIdentityPattern", "with mesh-identity-header it is needed, to know which cluster is meant");
  if (meshIdentityPeers.length === 0)
    throw invalid(
      "meshIdentityPeers",
      "with mesh-identity-header it is needed: anybody else who reaches the listener could write the header",
    );
  if (meshIdentityPeers.some((range) => range.endsWith("/0")))
    throw invalid("meshIdentityPeers", "a range of all addresses keeps nobody out");
  if (meshIdentityRoles !== undefined && groupsOf(meshIdentityPattern)?.includes("role"))
    throw invalid("meshIdentityRoles", "the pattern's group role says them already");
  if (config.agentTrust !== "mtls")
    throw invalid("agentTrust", "with mesh-identity-header no other way to authenticate agents is left");
  if (isPlaintext && config.hubAddress !== undefined)
    throw invalid(
      "meshIdentityPlaintext",
      "hubs reach each other by TLS at the agents' listener, so it needs TLS here",
    );
}

function invalid(key: keyof HubConfig, reason: string): Error {
  return configErrors.CONFIG_INVALID({ name: toFlag(key), where: "all sources", reason });
}
