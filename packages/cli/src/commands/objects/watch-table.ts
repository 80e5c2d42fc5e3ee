import type { KindTable, ObjectFilter, ObjectItem } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import type { AgeNotices } from "./age-notices.ts";
import type { ObjectFormat } from "./format-option.ts";
import { headingOf, rowOf, toStyle } from "./table-row.ts";
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
  let current: { readonly kind: string; readonly write: ReturnType<typeof output.tableWriter> } | undefined;

  return {
    mark: ({ cells, health, deletedAt }) => JSON.stringify([cells, isWide && health, deletedAt]),
    keep: ({ object: _, ...item }) => item,
    print: async (changes, tables) =>
      groupByKind(changes)
        .map((group) => printGroup(group, tables))
        .join(""),
    printAges: () => "",
  };

  function printGroup(changes: readonly Change[], tables: ReadonlyMap<string, KindTable>): string {
    const kind = changes[0]?.item.kind ?? "";
    const table = tables.get(kind);
    if (!table) return "";
    const gap = current === undefined || current.kind === kind ? "" : "\n";
    if (current?.kind !== kind) current = { kind, write: output.tableWriter(headingOf(table, style)) };
    return (
      gap + current.write(changes.map((change) => rowOf(output, change.item, { table, style, age: ageOf(change) })))
    );
  }

  function ageOf({ item, type }: Change): string {
    return type === "DELETED" ? output.colors.red("deleted") : ages.describe(item.cluster, item.kind);
  }
}

/** Neighbours of the same kind, in the order given. */
function groupByKind(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  let kind: ObjectItem["kind"] | undefined;
  for (const change of changes) {
    if (change.item.kind === kind) groups.at(-1)?.push(change);
    else groups.push([change]);
    kind = change.item.kind;
  }
  return groups;
}
