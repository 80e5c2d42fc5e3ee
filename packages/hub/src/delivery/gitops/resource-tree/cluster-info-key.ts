// Reads Argo CD's key of what it knows of a cluster: cluster|info|ADDRESS|VERSION[.gz]. Ours are those whose address is the
// hub's own, as the hub writes it into clusters' Secrets; another hub may have a cluster of the same name.
import { isDnsLabel } from "@fairlead/kernel";

export interface ClusterInfoKey {
  readonly cluster: string;
  readonly cacheVersion: string;
  readonly isCompressed: boolean;
}

export function parseClusterInfoKey(key: Buffer, publicUrl: string): ClusterInfoKey | undefined {
  if (key.length > longestKey) return undefined;
  const text = key.toString("latin1");
  const start = `cluster|info|${publicUrl.replace(/\/$/, "")}/k8s/clusters/`;
  if (!text.startsWith(start)) return undefined;
  const [, cluster = "", cacheVersion = "", ending] = pattern.exec(text.slice(start.length)) ?? [];
  return isDnsLabel(cluster) ? { cluster, cacheVersion, isCompressed: ending !== undefined } : undefined;
}

const pattern = /^([a-z0-9-]{1,63})\|([0-9A-Za-z][0-9A-Za-z.-]{0,31}?)(\.gz)?$/;
const longestKey = 2_048;
