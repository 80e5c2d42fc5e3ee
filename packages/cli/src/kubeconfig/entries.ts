import { clusterApiPath } from "@fairlead/contract/client";
import { isRecord } from "@fairlead/kernel";
import type { NamedHubContext } from "../config/index.ts";

/** A cluster's part of a kubeconfig: an entry in each of its three lists, under one name. */
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

export function createEntries(options: {
  readonly hubContext: NamedHubContext;
  readonly cluster: string;
  readonly prefix: string;
  readonly credential: Credential;
  /** Undefined: the path of the hub's own address. */
  readonly clusterDomain?: string | undefined;
}): KubeconfigEntries {
  const { hubContext, cluster, prefix, credential, clusterDomain } = options;
  const name = `${prefix}${cluster}`;
  const owner: ManagedBy = { hub: hubContext.hub, cluster };
  const extensions = [{ name: managedExtension, extension: owner }];
  return {
    name,
    owner,
    clusters: {
      cluster: {
        server: serverOf({ hub: hubContext.hub, cluster, clusterDomain }),
        ...(hubContext.ca && { "certificate-authority-data": Buffer.from(hubContext.ca).toString("base64") }),
        extensions,
      },
    },
    users: { user: { ...describeCredential(hubContext, credential), extensions } },
    contexts: { context: { cluster: name, user: name, extensions } },
  };
}

function serverOf(options: {
  readonly hub: string;
  readonly cluster: string;
  readonly clusterDomain: string | undefined;
}) {
  const { hub, cluster, clusterDomain } = options;
  if (clusterDomain === undefined) return `${hub}${clusterApiPath(cluster)}`;
  const server = new URL(hub);
  server.hostname = `${cluster}.${clusterDomain}`;
  return server.origin;
}

/** How a client proves who it is: by asking this command for a token, or by one that is written down. */
export type Credential =
  | {
      readonly kind: "plugin";
      readonly program: { readonly command: string; readonly args: readonly string[] };
      /** Undefined when it is where the plugin looks by itself. */
      readonly configFile: string | undefined;
    }
  | { readonly kind: "token"; readonly token: string };

function describeCredential(hubContext: NamedHubContext, credential: Credential): Record<string, unknown> {
  if (credential.kind === "token") return { token: credential.token };
  const { program, configFile } = credential;
  return {
    exec: {
      apiVersion: "client.authentication.k8s.io/v1",
      command: program.command,
      args: [...program.args, "credential", "--context", hubContext.name, "--hub", hubContext.hub],
      ...(configFile !== undefined && { env: [{ name: "FAIRLEAD_CONFIG", value: configFile }] }),
      interactiveMode: "IfAvailable",
      provideClusterInfo: false,
      installHint: `This context needs the 'fairlead' command: install it and run 'fairlead login ${hubContext.hub}'.`,
    },
  };
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
