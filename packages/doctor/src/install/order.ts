import type { Addon } from "../catalogue/index.ts";
import { installErrors } from "./errors.ts";

export interface OrderedAddon {
  readonly addon: Addon;
  /** The id of the addon that brought it in, when nobody named it. */
  readonly neededBy: string | undefined;
}

/** The wanted addons and those that they need and that aren't there, each after those it needs, lower orders first. */
export function orderAddons(options: {
  readonly wanted: readonly string[];
  readonly catalogue: readonly Addon[];
  readonly isThere: (id: string) => boolean;
}): OrderedAddon[] {
  const waiting = collect(options);
  const ordered: OrderedAddon[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ addon }) => needsOf(addon).every((id) => !waiting.has(id)));
    const [next] = ready.toSorted(({ addon: one }, { addon: other }) => compareAddons(one, other));
    if (!next) throw installErrors.ADDON_ORDER_CIRCULAR({ addons: [...waiting.keys()].sort().join(", ") });
    waiting.delete(next.addon.id);
    ordered.push(next);
  }
  return ordered;
}

function collect({ wanted, catalogue, isThere }: Parameters<typeof orderAddons>[0]): Map<string, OrderedAddon> {
  const byId = new Map(catalogue.map((addon) => [addon.id, addon]));
  const found = new Map<string, OrderedAddon>();
  const queue: { readonly id: string; readonly neededBy: string | undefined }[] = wanted.map((id) => ({
    id,
    neededBy: undefined,
  }));
  for (const { id, neededBy } of queue) {
    if (found.has(id)) continue;
    const addon = byId.get(id);
    if (!addon) throw installErrors.ADDON_UNKNOWN({ addon: id });
    found.set(id, { addon, neededBy });
    for (const need of needsOf(addon)) if (!isThere(need)) queue.push({ id: need, neededBy: id });
  }
  return found;
}

function needsOf({ install }: Addon): readonly string[] {
  return install?.after ?? [];
}

function compareAddons(one: Addon, other: Addon): number {
  return (one.install?.order ?? 0) - (other.install?.order ?? 0) || (one.id < other.id ? -1 : 1);
}
