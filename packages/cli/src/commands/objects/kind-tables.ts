// The columns of kinds. Clusters may have the same kind with different ones, as a CRD's printer columns change.
import type { KindTable, ObjectItem, ObjectList } from "@fairlead/contract";

export class KindTables {
  readonly #tables: Map<string, KindTable> = new Map();

  constructor(tables: readonly KindTable[] = []) {
    this.add(tables);
  }

  /** A table that names no clusters is for all that no other one names. */
  add(tables: readonly KindTable[]): void {
    for (const table of tables) {
      for (const cluster of table.clusters ?? [""]) this.#tables.set(keyOf({ kind: table.kind, cluster }), table);
    }
  }

  of({ kind, cluster }: Pick<ObjectItem, "kind" | "cluster">): KindTable | undefined {
    return this.#tables.get(keyOf({ kind, cluster })) ?? this.#tables.get(keyOf({ kind, cluster: "" }));
  }
}

/** Tables of a page are for its items only: they say whose they are before they stand beside another page's. */
export function pinTables({ items, tables }: Pick<ObjectList, "items" | "tables">): KindTable[] {
  const all = new KindTables(tables);
  return tables.map((table) => {
    const clusters = new Set(items.filter((item) => all.of(item) === table).map(({ cluster }) => cluster));
    return clusters.size === 0 ? table : { ...table, clusters: [...clusters] };
  });
}

function keyOf({ kind, cluster }: Pick<ObjectItem, "kind" | "cluster">): string {
  return `${kind} ${cluster}`;
}
