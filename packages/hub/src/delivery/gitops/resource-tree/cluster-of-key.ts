// Says to which cluster an application on the hub belongs. With the mapping by namespace its namespace has the cluster's
// name, and nothing else decides: no cluster can be made to answer for another one's application.
import type { GitopsSettings } from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import type { CachedKey } from "./cached-key.ts";

/** Undefined: it belongs to none. */
export type ClusterOfKey = (key: CachedKey | undefined) => Promise<string | undefined>;

export function createClusterOfKey(options: {
  readonly exists: (cluster: string) => boolean;
  readonly readSettings: (cluster: string) => Promise<GitopsSettings>;
  readonly clock: Clock;
}): ClusterOfKey {
  const { exists, readSettings, clock } = options;
  const known = new Map<string, { readonly untilMs: number; readonly isSynced: Promise<boolean> }>();
  return async (key) => {
    if (!key) return undefined;
    const { namespace } = key;
    if (!exists(namespace)) {
      known.delete(namespace);
      return undefined;
    }
    const before = known.get(namespace);
    if (before && before.untilMs > clock.now()) return (await before.isSynced) ? namespace : undefined;
    const isSynced = readSettings(namespace).then(({ mode, mapping }) => mode !== "off" && mapping === "namespace");
    isSynced.catch(() => known.delete(namespace));
    known.set(namespace, { untilMs: clock.now() + keptMs, isSynced });
    return (await isSynced) ? namespace : undefined;
  };
}

/** A page of Argo CD's UI asks several times in a row. */
const keptMs = 2_000;
