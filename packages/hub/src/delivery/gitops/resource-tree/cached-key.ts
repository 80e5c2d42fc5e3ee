// Reads Argo CD's keys and channels (its util/cache/appstate): app|resources-tree|INSTANCE[|SHARD]|VERSION[.gz] and
// app|managed-resources|INSTANCE|VERSION[.gz]. An instance in another namespace than Argo CD's own is NAMESPACE_NAME. All
// other keys are none of a cluster's. Channels are named as keys without the ending.
import { isDnsLabel } from "@fairlead/kernel";
import { CachedPart } from "@fairlead/protocol";

export interface CachedKey {
  /** The application's, on the hub; empty: Argo CD's own. */
  readonly namespace: string;
  readonly name: string;
  readonly part: CachedPart;
  /** Argo CD may keep a tree in several values; 0 is the first. */
  readonly shard: number;
  readonly cacheVersion: string;
  readonly isCompressed: boolean;
}

export function parseCachedKey(key: Buffer): CachedKey | undefined {
  if (key.length > longestKey) return undefined;
  const [, kind = "", namespace = "", name = "", shard = "0", cacheVersion = "", ending] =
    pattern.exec(key.toString("latin1")) ?? [];
  const part = parts[kind];
  if (part === undefined || (namespace !== "" && !isDnsLabel(namespace))) return undefined;
  if (shard !== "0" && part !== CachedPart.RESOURCES_TREE) return undefined;
  return { namespace, name, part, shard: Number(shard), cacheVersion, isCompressed: ending !== undefined };
}

const parts: Readonly<Record<string, CachedPart>> = {
  "resources-tree": CachedPart.RESOURCES_TREE,
  "managed-resources": CachedPart.MANAGED_RESOURCES,
};
const pattern =
  /^app\|(resources-tree|managed-resources)\|(?:([a-z0-9-]{1,63})_)?([a-z0-9][a-z0-9.-]{0,252})(?:\|([1-9]\d{0,3}))?\|([0-9A-Za-z][0-9A-Za-z.-]{0,31}?)(\.gz)?$/;
const longestKey = 512;
