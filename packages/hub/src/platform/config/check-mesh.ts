// Checks the settings for a mesh's identities together. A hub that took them half set would let anybody in.
import { settingErrors } from "@fairlead/kernel/settings";
import { readIdentityPattern } from "./identity-pattern.ts";
import type { HubConfig } from "./settings.ts";

export function checkMesh(config: HubConfig): void {
  const { meshIdentityHeader, meshIdentityPattern, meshIdentityPeers, meshIdentityRoles, agentPublicUrl } = config;
  const isPlaintext = config.meshIdentityPlaintext;
  if (agentPublicUrl?.startsWith("http:") && !isPlaintext)
    throw invalid("--agent-public-url", "expected https://HOST or https://HOST:PORT");
  if (meshIdentityHeader === undefined) {
    const isSet = meshIdentityPattern ?? meshIdentityPeers[0] ?? meshIdentityRoles?.[0];
    if (isSet !== undefined || isPlaintext)
      throw invalid("--mesh-identity-header", "the other settings for a mesh require it");
    return;
  }
  if (meshIdentityPattern === undefined)
    throw invalid("--mesh-identity-pattern", "--mesh-identity-header requires it, to tell clusters apart");
  if (meshIdentityPeers.length === 0)
    throw invalid(
      "--mesh-identity-peers",
      "--mesh-identity-header requires it: anyone else who reaches the listener could write the header",
    );
  if (meshIdentityPeers.some((range) => range.endsWith("/0")))
    throw invalid("--mesh-identity-peers", "a range of all addresses keeps nobody out");
  if (meshIdentityRoles !== undefined && readIdentityPattern(meshIdentityPattern).groupNames.includes("role"))
    throw invalid("--mesh-identity-roles", "it can't be combined with a group role in --mesh-identity-pattern");
  if (config.agentTrust !== "mtls")
    throw invalid("--agent-trust", "--mesh-identity-header leaves no other way to authenticate agents");
  if (isPlaintext && config.hubAddress !== undefined)
    throw invalid("--mesh-identity-plaintext", "hubs reach each other by TLS at the agent listener, so it needs TLS");
}

function invalid(name: string, reason: string): Error {
  return settingErrors.CONFIG_INVALID({ name, reason, program: "fairlead-hub" });
}
