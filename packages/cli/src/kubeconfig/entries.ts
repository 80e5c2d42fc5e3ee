import { paths } from "@fairlead/contract";
import type { Profile } from "../config/index.ts";

/** What one cluster adds to a kubeconfig: an entry in each of its three lists, under one name. */
export interface KubeconfigEntries {
  readonly name: string;
  readonly owner: ManagedBy;
  readonly clusters: { readonly cluster: Record<string, unknown> };
  readonly users: { readonly user: Record<string, unknown> };
  readonly contexts: { readonly context: Record<string, unknown> };
}

/** The mark on every entry that this command wrote: only such entries of the same hub are ever written again. */
export interface ManagedBy {
  readonly hub: string;
  readonly cluster: string;
}

const managedExtension = "fairlead.dev/managed";

export function createEntries(options: { profile: Profile; cluster: string; prefix: string }): KubeconfigEntries {
  const { profile, cluster, prefix } = options;
  const name = `${prefix}${cluster}`;
  const owner: ManagedBy = { hub: profile.hub, cluster };
  const extensions = [{ name: managedExtension, extension: owner }];
  return {
    name,
    owner,
    clusters: {
      cluster: {
        server: `${profile.hub}${paths.clusterApi(cluster)}`,
        ...(profile.ca && { "certificate-authority-data": Buffer.from(profile.ca).toString("base64") }),
        extensions,
      },
    },
    users: { user: { ...createCredential(profile), extensions } },
    contexts: { context: { cluster: name, user: name, extensions } },
  };
}

/** How kubectl proves who it is. A credential plugin (`exec`) with short-lived tokens takes this place later. */
function createCredential(profile: Profile): Record<string, unknown> {
  return { token: profile.token };
}

/** The hub that an entry is marked for; undefined when it isn't ours. */
export function readOwner(body: unknown): ManagedBy | undefined {
  if (!isRecord(body) || !Array.isArray(body["extensions"])) return undefined;
  const mark: unknown = body["extensions"].find((entry) => isRecord(entry) && entry["name"] === managedExtension);
  const extension = isRecord(mark) ? mark["extension"] : undefined;
  if (!isRecord(extension)) return undefined;
  const { hub, cluster } = extension;
  return typeof hub === "string" && typeof cluster === "string" ? { hub, cluster } : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
