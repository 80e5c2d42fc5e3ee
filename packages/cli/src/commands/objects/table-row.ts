// Objects as rows of a table: kubectl's columns between the cluster and the age of what is known of it.

import type { Cell, DataAge, KindTable, ObjectFilter, ObjectItem, TableColumn } from "@fairlead/contract";
import { printable } from "@fairlead/kernel";
import { formatAge, type Output } from "../../output/index.ts";
import { describeAge } from "./data-age.ts";
import { KindTables } from "./kind-tables.ts";

export interface RowStyle {
  readonly isWide: boolean;
  readonly hasHeadings: boolean;
  /** Not when one was asked for by name. */
  readonly showsNamespace: boolean;
  /** `pod/web-0` instead of `web-0`: when there are tables of several kinds. */
  readonly showsKind: boolean;
  readonly now: () => number;
}

export function toStyle(
  { namespace }: Pick<ObjectFilter, "namespace">,
  style: Pick<RowStyle, "isWide" | "hasHeadings" | "showsKind" | "now">,
): RowStyle {
  return { ...style, showsNamespace: namespace === undefined || namespace.includes(",") };
}

export function headingOf(table: KindTable, style: RowStyle): string[] | undefined {
  if (!style.hasHeadings) return undefined;
  return [
    "CLUSTER",
    ...(hasNamespace(table, style) ? ["NAMESPACE"] : []),
    ...columnsOf(table, style).map(([column]) => column.name.toUpperCase()),
    ...(style.isWide ? ["HEALTH"] : []),
    "AGE-OF-DATA",
  ];
}

/** `age` stands in the last column. */
export function rowOf(
  output: Output,
  item: ObjectItem,
  options: { readonly table: KindTable; readonly style: RowStyle; readonly age: string },
): string[] {
  const { table, style, age } = options;
  const cells = columnsOf(table, style).map(([column, index]) =>
    formatCell(item.cells[index] ?? null, column, style.now()),
  );
  if (style.showsKind) cells[0] = `${typeName(item)}/${cells[0] ?? ""}`;
  return [
    output.safe(item.cluster),
    ...(hasNamespace(table, style) ? [output.safe(item.namespace)] : []),
    ...cells,
    ...(style.isWide ? [paintHealth(output, item)] : []),
    age,
  ];
}

export function renderObjects(
  output: Output,
  list: {
    readonly items: readonly ObjectItem[];
    readonly tables: readonly KindTable[];
    readonly clusters: readonly DataAge[];
  },
  style: RowStyle,
): string {
  const ages = new Map(list.clusters.map((age) => [age.cluster, age]));
  const all = new KindTables(list.tables);
  const looksByTable = new Map(list.tables.map((table) => [table, looksOf(table, style)]));
  const groups = Map.groupBy(list.items, (item) => {
    const table = all.of(item);
    return table && looksByTable.get(table);
  });
  return [...new Map(list.tables.map((table) => [looksByTable.get(table), table]))]
    .flatMap(([looks, table]) => {
      const items = groups.get(looks) ?? [];
      if (items.length === 0) return [];
      const rows = items.map((item) =>
        rowOf(output, item, { table, style, age: describeAge(output, ages.get(item.cluster), item.kind) }),
      );
      return [output.table(headingOf(table, style), rows)];
    })
    .join("\n");
}

/** Items of tables that look alike stand under one heading. */
export function looksOf(table: KindTable, style: RowStyle): string {
  return JSON.stringify([table.kind, columnsOf(table, style)]);
}

/** `pod`, `deployment.apps`. */
export function typeName({ apiVersion, kindName }: Pick<ObjectItem, "apiVersion" | "kindName">): string {
  const group = apiVersion.includes("/") ? `.${apiVersion.slice(0, apiVersion.indexOf("/"))}` : "";
  return `${kindName.toLowerCase()}${group}`;
}

export function formatCell(cell: Cell, column: TableColumn, now: number): string {
  if (cell === null) return "";
  if (column.type === "date") {
    const at = Date.parse(String(cell));
    return Number.isNaN(at) ? "<unknown>" : formatAge(now - at);
  }
  const [line = "", more] = String(cell).split("\n");
  return printable(more === undefined ? line : `${line}...`);
}

function columnsOf(table: KindTable, { isWide }: RowStyle): (readonly [TableColumn, number])[] {
  const all = table.columns.map((column, index) => [column, index] as const);
  return isWide ? all : all.filter(([column]) => column.priority === 0);
}

function hasNamespace(table: KindTable, style: RowStyle): boolean {
  return table.namespaced && style.showsNamespace;
}

export function paintHealth({ colors }: Output, { health }: Pick<ObjectItem, "health">): string {
  switch (health) {
    case "Healthy":
      return colors.green(health);
    case "Degraded":
    case "Missing":
      return colors.red(health);
    case "Progressing":
    case "Suspended":
    case "Unknown":
      return colors.yellow(health);
    case undefined:
      return "-";
    default:
      return health satisfies never;
  }
}
