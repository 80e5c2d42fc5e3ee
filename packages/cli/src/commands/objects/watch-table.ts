import type { KindTable, ObjectFilter } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import type { AgeNotices } from "./age-notices.ts";
import type { ObjectFormat } from "./format-option.ts";
import type { KindTables } from "./kind-tables.ts";
import { headingOf, looksOf, rowOf, toStyle } from "./table-row.ts";
import type { Change, ChangePrinter } from "./watch-documents.ts";

type TableFormat = Extract<ObjectFormat, { type: "table" }>;

/** Lines under one heading, as kubectl prints them; another kind's lines get a heading of their own. */
export function createTablePrinter(
  { output, terminal }: CommandContext,
  options: { readonly filter: ObjectFilter; readonly format: TableFormat; readonly ages: AgeNotices },
): ChangePrinter {
  const { filter, format, ages } = options;
  const { isWide, hasHeadings } = format;
  const style = toStyle(filter, {
    isWide,
    hasHeadings,
    showsKind: filter.kind?.includes(",") ?? true,
    now: terminal.now,
  });
  let current: { readonly looks: string; readonly write: ReturnType<typeof output.tableWriter> } | undefined;

  return {
    mark: ({ cells, health, deletedAt }) => JSON.stringify([cells, isWide && health, deletedAt]),
    keep: ({ object: _, ...item }) => item,
    print: async (changes, tables) => groupByTable(changes, tables).map(printGroup).join(""),
    printAges: () => "",
  };

  function printGroup({ changes, table }: Group): string {
    if (!table) return "";
    const looks = looksOf(table, style);
    const gap = current === undefined || current.looks === looks ? "" : "\n";
    if (current?.looks !== looks) current = { looks, write: output.tableWriter(headingOf(table, style)) };
    return (
      gap + current.write(changes.map((change) => rowOf(output, change.item, { table, style, age: ageOf(change) })))
    );
  }

  function ageOf({ item, type }: Change): string {
    return type === "DELETED" ? output.colors.red("deleted") : ages.describe(item.cluster, item.kind);
  }
}

interface Group {
  readonly table: KindTable | undefined;
  readonly changes: Change[];
}

/** Neighbours with the same columns, in the order given. */
function groupByTable(changes: readonly Change[], tables: KindTables): Group[] {
  const groups: Group[] = [];
  for (const change of changes) {
    const table = tables.of(change.item);
    const last = groups.at(-1);
    if (last && last.table === table) last.changes.push(change);
    else groups.push({ table, changes: [change] });
  }
  return groups;
}
