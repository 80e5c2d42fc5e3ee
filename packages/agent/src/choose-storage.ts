import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { KubeClient } from "@fairlead/kube";
import type { AgentConfig } from "./config/index.ts";
import { createFileRecords, createPagedRecords, createSecretRecords, type RecordStore } from "./execute/index.ts";
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

/** Records of commands are kept where the identity is kept: in Secrets, or in the folder. */
export function chooseRecords(config: AgentConfig, client: KubeClient): RecordStore {
  const place = choosePlace(config, client);
  return "folder" in place
    ? createFileRecords({ folder: join(place.folder, "commands") })
    : createPagedRecords({ client, alone: createSecretRecords({ client }) });
}

/** Its pod's, or the one of its Secrets; undefined for an agent outside of the cluster that keeps its files in a folder. */
export function chooseOwnNamespace(config: AgentConfig, client: KubeClient): string | undefined {
  const isInPod = config.kubeconfig === undefined;
  return isInPod || "secret" in choosePlace(config, client) ? client.access.namespace : undefined;
}

/** The folder of what may be lost with the pod: logs on their way to the hub, and files of programs. */
export function chooseExecuteFolder(config: AgentConfig, client: KubeClient): string {
  const place = choosePlace(config, client);
  return config.execute.folder ?? resolve("folder" in place ? place.folder : tmpdir(), "fairlead-execute");
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
