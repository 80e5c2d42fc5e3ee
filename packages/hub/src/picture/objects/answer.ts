// A page as it leaves: items while there is room for them and for the tables that they need, then the tables of what else
// was asked for. Cells are judged with what the item's own cluster says of its kind.
import type { KindTable, ObjectItem } from "@fairlead/contract";
import { describeTable, type ShownKind, toKindTable } from "./show.ts";

export interface Answer {
  /** False when there is no room for it any more; there always is for the first. */
  add(item: ObjectItem, kind: ShownKind): boolean;
  /** Left out when there is no room. */
  addTable(cluster: string, kind: ShownKind): void;
  readonly items: readonly ObjectItem[];
  tables(): KindTable[];
}

export function createAnswer(): Answer {
  const items: ObjectItem[] = [];
  const found = new Map<string, { readonly table: KindTable; readonly clusters: Set<string> }>();
  let sizeBytes = 0;
  let tableBytes = 0;
  return {
    items,
    add(item, kind) {
      const text = describeTable(kind);
      const itemBytes = bytesOf(JSON.stringify(item)) + (found.has(text) ? 0 : bytesOf(text));
      if (items.length > 0 && sizeBytes + itemBytes > maxAnswerBytes) return false;
      sizeBytes += itemBytes;
      items.push(item);
      put(item.cluster, kind, text);
      return true;
    },
    addTable(cluster, kind) {
      const text = describeTable(kind);
      if (!found.has(text)) {
        if (tableBytes + bytesOf(text) > maxTableBytes) return;
        tableBytes += bytesOf(text);
      }
      put(cluster, kind, text);
    },
    tables() {
      const byKind = Map.groupBy(found.values(), ({ table }) => table.kind);
      return [...byKind.values()].flatMap((alike) =>
        alike.map(({ table, clusters }) => (alike.length === 1 ? table : { ...table, clusters: [...clusters] })),
      );
    },
  };

  function put(cluster: string, kind: ShownKind, text: string): void {
    const one = found.get(text) ?? { table: toKindTable(kind), clusters: new Set<string>() };
    found.set(text, one);
    one.clusters.add(cluster);
  }
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

const maxAnswerBytes = 8 * 1024 * 1024;
/** The bound for tables of kinds without an item on the page. */
const maxTableBytes = 256 * 1024;
