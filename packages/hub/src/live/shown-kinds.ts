// How kinds are shown: one way for all subscribers to whom a kind looks the same. Clusters may have the same kind with
// other columns.
import type { KindInfo } from "../inventory/index.ts";
import { type ShownKind, toShownKind } from "../objects/index.ts";

export function createShownKinds(): (info: KindInfo) => ShownKind {
  const known = new Map<string, ShownKind>();
  return (info) => {
    const key = JSON.stringify(info);
    const found = known.get(key);
    if (found) return found;
    // Versions of CRDs come and go.
    if (known.size >= maxKinds) known.clear();
    const kind = toShownKind(info);
    known.set(key, kind);
    return kind;
  };
}

const maxKinds = 10_000;
