import { createHash } from "node:crypto";
import { join } from "node:path";
import type { KubeClient } from "@fairlead/kube";
import type { AgentConfig } from "./config/index.ts";
import { createFileStorage, createSecretStorage, type IdentityStorage } from "./identity/index.ts";
import { type ReadSalt, saltInFile, saltInSecret } from "./observe/index.ts";

export function chooseStorage(config: AgentConfig, client: KubeClient): IdentityStorage {
  const place = choosePlace(config, client);
  return "folder" in place ? createFileStorage(place) : createSecretStorage({ client, name: place.secret });
}

/** The salt is kept beside the identity. */
export function chooseSalt(config: AgentConfig, client: KubeClient): ReadSalt {
  const place = choosePlace(config, client);
  return "folder" in place ? saltInFile(place) : saltInSecret({ client, name: place.secret });
}

/** The folder or the Secret that was named, a Secret in a pod, otherwise a folder of this hub and this API server. */
function choosePlace(
  config: AgentConfig,
  client: KubeClient,
): { readonly folder: string } | { readonly secret: string } {
  const { stateDir, identitySecret, kubeconfig, hub, stateHome } = config;
  if (stateDir !== undefined) return { folder: stateDir };
  if (identitySecret !== undefined) return { secret: identitySecret };
  if (kubeconfig === undefined) return { secret: "fairlead-agent-identity" };
  const key = `${hub.origin} ${client.access.server.origin}`;
  const folder = createHash("sha256").update(key).digest("hex").slice(0, 16);
  return { folder: join(stateHome, folder) };
}
