// Namespaces that clusters have objects in, which callers with rights in some of them are asked about one by one. Looked
// for in the store once, then told by what is committed. Those that emptied stay: they are candidates and no more.
import type { InventoryReader } from "../inventory/index.ts";

export function createNamespaces(options: {
  readonly inventory: Pick<InventoryReader, "onCommitted">;
  readonly list: (cluster: string) => Promise<readonly string[]>;
}): (cluster: string) => Promise<readonly string[]> {
  const { inventory, list } = options;
  const known = new Map<string, { readonly names: Set<string>; readonly loaded: Promise<void> }>();
  inventory.onCommitted((changes) => {
    for (const { cluster, namespace } of changes) {
      if (namespace !== "") known.get(cluster)?.names.add(namespace);
    }
  });
  return async (cluster) => {
    const { names, loaded } = known.get(cluster) ?? load(cluster);
    await loaded;
    return [...names];
  };

  function load(cluster: string): { readonly names: Set<string>; readonly loaded: Promise<void> } {
    // What is committed while they are read is added as well.
    const names = new Set<string>();
    const loaded = list(cluster).then(
      (found) => {
        for (const name of found) names.add(name);
      },
      (error: unknown) => {
        known.delete(cluster);
        throw error;
      },
    );
    const entry = { names, loaded };
    known.set(cluster, entry);
    return entry;
  }
}
