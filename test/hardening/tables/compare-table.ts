// Compares the API server's table of a kind with what the hub makes of the same objects, as the agent sends them.
import { createSecretKey } from "node:crypto";
import type { Cell, TableColumn } from "@fairlead/contract";
import { type ApiResource, Fields, type KubeClient, type KubeObject, resourcePath } from "@fairlead/kube";
import { projectObject } from "../../../packages/agent/src/observe/project.ts";
import { formatAge } from "../../../packages/hub/src/picture/tables/columns.ts";
import { findPrinter, type Printer } from "../../../packages/hub/src/picture/tables/index.ts";
import { builtIn } from "./put-shapes.ts";

export interface ComparedTable {
  readonly ours: readonly ColumnShape[];
  readonly theirs: readonly ColumnShape[];
  readonly names: readonly string[];
  /** A line for each cell that differs. */
  readonly differences: readonly string[];
}

export async function compareTable(client: KubeClient, kind: string): Promise<ComparedTable> {
  const { kindName, ...info } = builtIn(kind);
  const resource: ApiResource = {
    ...info,
    kind: kindName,
    singular: kindName.toLowerCase(),
    verbs: [],
    categories: [],
  };
  const printer = findPrinter(kind);
  const startMs = Date.now();
  const table = await client.request<Table>({
    path: `${resourcePath(resource)}?includeObject=Object`,
    headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  });
  const moments = { startMs, endMs: Date.now() };
  const rows = table.rows ?? [];
  return {
    ours: printer.columns.map((column) => shapeOf(kubectlColumn(column))),
    theirs: table.columnDefinitions.map(shapeOf),
    names: rows.map(({ object }) => object.metadata.name),
    differences: rows.flatMap((row) => compareRow(row, { kind, resource, printer, moments })),
  };
}

interface Table {
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: readonly Row[] | null;
}

interface Row {
  readonly cells: readonly unknown[];
  readonly object: KubeObject;
}

interface Moments {
  readonly startMs: number;
  readonly endMs: number;
}

type ColumnShape = Pick<TableColumn, "name" | "type" | "priority"> & { readonly format: string };

function shapeOf({ name, type, priority, format = "" }: TableColumn): ColumnShape {
  return { name, type, priority, format };
}

/** The hub gives ages as dates, so that whoever shows them can let them run, and the date of creation as a text. */
function kubectlColumn(column: TableColumn): TableColumn {
  if (column.type === "date") return { ...column, type: "string" };
  return column.name === "Created At" ? { ...column, type: "date" } : column;
}

function compareRow(
  { cells, object }: Row,
  options: {
    readonly kind: string;
    readonly resource: ApiResource;
    readonly printer: Printer;
    readonly moments: Moments;
  },
): string[] {
  const { kind, resource, printer, moments } = options;
  // The projection uses up its object.
  const { json } = projectObject(resource, structuredClone(object), { salt, envValues: "mask", maxObjectBytes });
  const projection = new Fields(JSON.parse(Buffer.from(json).toString("utf8")));
  const shown = (nowMs: number): Cell[] => showCells(printer, projection, nowMs);
  const candidates = [shown(moments.startMs), shown(moments.endMs)];
  return printer.columns.flatMap(({ name }, index) => {
    const theirs = cells[index];
    if (candidates.some((ours) => ours[index] === theirs)) return [];
    if (momentsBetween(moments).some((nowMs) => shown(nowMs)[index] === theirs)) return [];
    const [ours] = candidates;
    return [
      `${kind} ${object.metadata.name}: ${name} is ${JSON.stringify(ours?.[index])}, not ${JSON.stringify(theirs)}`,
    ];
  });
}

function showCells(printer: Printer, object: Fields, nowMs: number): Cell[] {
  const cells = printer.cells(object, nowMs);
  return printer.columns.map(({ type }, index) => {
    const cell = cells[index] ?? null;
    return type === "date" && typeof cell === "string" ? formatAge(cell, nowMs) : cell;
  });
}

/** The API server looked at the clock at one of them. It counts microseconds, hence one more on either side. */
function momentsBetween({ startMs, endMs }: Moments): number[] {
  return Array.from({ length: endMs - startMs + 3 }, (_, index) => startMs - 1 + index);
}

const salt = createSecretKey(Buffer.from("0123456789abcdef"));
const maxObjectBytes = 256 * 1024;
