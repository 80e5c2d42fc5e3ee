// What one subscription asks for and may see, judged for each row that changed. From memory: it is on the path of every
// change to every subscriber.
import type { KindInfo } from "../inventory/index.ts";
import { matchesFilter, type ObjectRequest, type ObjectRow } from "../objects/index.ts";

export interface View {
  readonly request: ObjectRequest;
  /** Keys; undefined: all, also those that come later. */
  readonly kinds: ReadonlySet<string> | undefined;
  /** `shown`: it is what is asked for; `gone`: it isn't, or isn't any more; undefined: it isn't the caller's to know. */
  judge(row: ObjectRow): "shown" | "gone" | undefined;
  /** Rights may have changed: nothing that was found out before counts any more. */
  reset(): void;
}

export function createView(options: {
  readonly request: ObjectRequest;
  readonly isOfAnyKind: boolean;
  readonly mayWatch: (cluster: string, kind: KindInfo, namespace: string) => boolean;
  readonly findKind: (cluster: string, kind: string) => KindInfo | undefined;
  /** Whether the filter's choice of clusters takes this one in. */
  readonly includesCluster: (cluster: string) => boolean;
}): View {
  const { request, isOfAnyKind, mayWatch, findKind, includesCluster } = options;
  const kinds = isOfAnyKind ? undefined : new Set(request.kinds.map(({ kind }) => kind));
  const open = new Map<string, boolean>();
  return { request, kinds, judge, reset: () => open.clear() };

  function judge(row: ObjectRow): "shown" | "gone" | undefined {
    if (kinds && !kinds.has(row.kind)) return undefined;
    if (!isOpen(row)) return undefined;
    return row.deleted_at === null && matchesFilter(request.filter, row) ? "shown" : "gone";
  }

  function isOpen({ cluster, kind, namespace }: ObjectRow): boolean {
    const key = `${cluster}/${kind}/${namespace}`;
    const known = open.get(key);
    if (known !== undefined) return known;
    const info = findKind(cluster, kind);
    const isVisible = info !== undefined && includesCluster(cluster) && mayWatch(cluster, info, namespace);
    // A kind that isn't known yet may be in a moment.
    if (info !== undefined) open.set(key, isVisible);
    return isVisible;
  }
}
