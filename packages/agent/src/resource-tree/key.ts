// The keys and channels under which Argo CD keeps an application's state in its Redis. They are made here, of parts that
// were checked one by one: whatever the hub asks for, nothing else of that Redis can be named.
import { isDnsLabel } from "@fairlead/kernel";
import { type CachedApplication, CachedPart, type ReadClusterInfoRequest, type ReadRequest } from "@fairlead/protocol";
import { resourceTreeErrors } from "./errors.ts";

export interface ArgoNamespaces {
  /** Argo CD's own. */
  readonly namespace: string;
  /** Others that its applications may be in. */
  readonly applicationNamespaces: readonly string[];
}

export function keyOf(
  { application, shard, isCompressed }: Omit<ReadRequest, "$typeName">,
  argo: ArgoNamespaces,
): string {
  if (!application) throw invalid("no application");
  const { part, cacheVersion } = application;
  const isShard = shard > 0;
  if (isShard && (part !== CachedPart.RESOURCES_TREE || shard > mostShards)) throw invalid("the shard");
  const names = ["app", nameOf(part), instanceOf(application, argo), ...(isShard ? [`${shard}`] : [])];
  return toKey([...names, versionOf(cacheVersion)], isCompressed);
}

/** The key of the cluster that Argo CD runs in, and of no other one that it may know. */
export function clusterInfoKeyOf({ cacheVersion, isCompressed }: Omit<ReadClusterInfoRequest, "$typeName">): string {
  return toKey(["cluster", "info", "https://kubernetes.default.svc", versionOf(cacheVersion)], isCompressed);
}

/** Argo CD publishes there whenever it has written either of the two. The name is the same whether it packs values. */
export function channelOf(application: CachedApplication | undefined, argo: ArgoNamespaces): string {
  if (!application) throw invalid("no application");
  const { part, cacheVersion } = application;
  return ["app", nameOf(part), instanceOf(application, argo), versionOf(cacheVersion)].join("|");
}

function toKey(parts: readonly string[], isCompressed: boolean): string {
  return `${parts.join("|")}${isCompressed ? ".gz" : ""}`;
}

function instanceOf({ namespace, name }: CachedApplication, argo: ArgoNamespaces): string {
  if (!isDnsName(name)) throw invalid("the name");
  if (namespace === "" || namespace === argo.namespace) return name;
  if (!isDnsLabel(namespace)) throw invalid("the namespace");
  if (argo.applicationNamespaces.includes(namespace)) return `${namespace}_${name}`;
  throw resourceTreeErrors.RESOURCE_TREE_NAMESPACE_REFUSED({ namespace });
}

function nameOf(part: CachedPart): string {
  switch (part) {
    case CachedPart.RESOURCES_TREE:
      return "resources-tree";
    case CachedPart.MANAGED_RESOURCES:
      return "managed-resources";
    case CachedPart.UNSPECIFIED:
      throw invalid("the part");
    default:
      throw invalid("the part");
  }
}

function versionOf(cacheVersion: string): string {
  // Without an ending of its own: it would be that of a packed value.
  if (!/^[0-9A-Za-z]+(?:[.-][0-9A-Za-z]+)*$/.test(cacheVersion) || cacheVersion.length > 32)
    throw invalid("the version");
  if (cacheVersion.endsWith(".gz")) throw invalid("the version");
  return cacheVersion;
}

function isDnsName(name: string): boolean {
  return name.length <= 253 && name.split(".").every((label) => isDnsLabel(label));
}

function invalid(what: string): Error {
  return resourceTreeErrors.RESOURCE_TREE_REQUEST_INVALID({ what });
}

/** Argo CD makes one for at least one object, and takes no shard size over 1,000. */
const mostShards = 10_000;
