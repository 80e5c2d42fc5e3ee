// Columns that many kinds share, and the way to make more of them.
import type { Cell } from "@fairlead/contract";
import { formatRoundedDuration } from "@fairlead/kernel";
import type { Fields } from "@fairlead/kube";
import { cutText } from "./cut-text.ts";
import type { Column, Printer, Read } from "./types.ts";

export function createPrinter(...columns: readonly Column[]): Printer {
  return {
    columns: columns.map(({ read: _, ...column }) => column),
    cells: (object, nowMs) => columns.map(({ read }) => cutCell(read(object, nowMs))),
  };
}

/** The writer of an object writes its cells. */
export function cutCell(cell: Cell): Cell {
  return typeof cell === "string" ? cutText(cell, maxCellBytes) : cell;
}

export function text(name: string, read: Read): Column {
  return { name, type: "string", priority: 0, read };
}

export function integer(name: string, read: Read): Column {
  return { name, type: "integer", priority: 0, read };
}

/** Shown only in wide tables. */
export function wide(column: Column): Column {
  return { ...column, priority: 1 };
}

/** A blank where there is nothing, as kubectl shows it. */
export function field(name: string, ...path: readonly string[]): Column {
  return fieldOr("", name, ...path);
}

/** Where kubectl says it in words. */
export function fieldOr(absent: string, name: string, ...path: readonly string[]): Column {
  return text(name, (object) => object.at(...path).text() ?? absent);
}

/** Where kubectl says in words that a field is absent, and shows an empty one as it is. */
export function optionalOr(absent: string, name: string, ...path: readonly string[]): Column {
  return text(name, (object) => readOptional(object.at(...path)) ?? absent);
}

export function readOptional(field: Fields): string | undefined {
  return field.raw === "" ? "" : field.text();
}

export function flag(name: string, read: (object: Fields) => boolean): Column {
  return { name, type: "boolean", priority: 0, read };
}

export const name: Column = {
  ...text("Name", (object) => object.at("metadata", "name").text() ?? ""),
  format: "name",
};

/** The object's name, and that it is the default of its kind. */
export function readClassName(object: Fields, annotations: readonly string[]): string {
  const title = object.at("metadata", "name").text() ?? "";
  const isDefault = annotations.some((key) => object.at("metadata", "annotations", key).text() === "true");
  return isDefault ? `${title} (default)` : title;
}

export const age: Column = {
  name: "Age",
  type: "date",
  priority: 0,
  read: (object) => object.at("metadata", "creationTimestamp").text() ?? "",
};

/** The API server shows this of kinds that it has no columns for: the time itself. */
export const createdAt: Column = field("Created At", "metadata", "creationTimestamp");

/** Names and images of the containers of a pod template, and its selector. */
export const templateColumns: readonly Column[] = [
  wide(text("Containers", (object) => joinContainers(object.at("spec", "template"), "name"))),
  wide(text("Images", (object) => joinContainers(object.at("spec", "template"), "image"))),
  wide(text("Selector", (object) => formatSelector(object.at("spec", "selector")))),
];

export function joinContainers(template: Fields, member: "name" | "image"): string {
  return template
    .at("spec", "containers")
    .list()
    .map((container) => container.at(member).text() ?? "")
    .join(",");
}

/** A LabelSelector: its requirements in the order of their keys. */
export function formatSelector(selector: Fields): string {
  const equalities = selector
    .at("matchLabels")
    .entries()
    .map(([key, value]) => ({ key, text: `${key}=${value.text() ?? ""}` }));
  const expressions = selector
    .at("matchExpressions")
    .list()
    .map((expression) => ({ key: expression.at("key").text() ?? "", text: formatExpression(expression) }));
  const parts = [...equalities, ...expressions].sort((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
  return parts.length === 0 ? "<none>" : parts.map(({ text }) => text).join(",");
}

/** `a=b,c=d`. */
export function formatLabels(labels: Fields): string {
  const parts = labels.entries().map(([key, value]) => `${key}=${value.text() ?? ""}`);
  return parts.length === 0 ? "<none>" : parts.sort().join(",");
}

/** Three of them, and how many more there are. */
export function formatSome(values: readonly string[]): string {
  const more = values.length - shownValues;
  return values.slice(0, shownValues).join(",") + (more > 0 ? ` + ${more} more...` : "");
}

/** A text, or a number as text. */
export function readIntOrText(value: Fields): string | undefined {
  return value.text() ?? value.number()?.toString();
}

const shownValues = 3;

function formatExpression(expression: Fields): string {
  const key = expression.at("key").text() ?? "";
  const values = expression
    .at("values")
    .list()
    .map((value) => value.text() ?? "")
    .sort()
    .join(",");
  switch (expression.at("operator").text() ?? "") {
    case "In":
      return `${key} in (${values})`;
    case "NotIn":
      return `${key} notin (${values})`;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return key;
  }
}

export function count(object: Fields, ...path: readonly string[]): number {
  return object.at(...path).number() ?? 0;
}

/** As the API server writes spans in cells: two units at most, fewer the longer it is. */
export function formatAge(timestamp: string | undefined, nowMs: number): string {
  const atMs = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(atMs) ? "<unknown>" : formatRoundedDuration(nowMs - atMs);
}

const maxCellBytes = 1_024;
