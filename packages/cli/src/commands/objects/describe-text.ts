// Prints an object for a person, in the order that kubectl's describe has.

import type { ObjectDetail, ObjectRef } from "@fairlead/contract";
import { printable } from "@fairlead/kernel";
import { formatAge, type Output } from "../../output/index.ts";
import { describeAge } from "./data-age.ts";
import { describePod } from "./describe-pod.ts";
import { asList, asObject, asText } from "./fields.ts";
import { formatCell, paintHealth, typeName } from "./table-row.ts";

export function renderDetail(output: Output, detail: ObjectDetail, now: number): string {
  const parts = [
    renderFacts(output, detail, now),
    ...describePod(output, asObject(detail.item.object)),
    renderConditions(output, detail, now),
    renderChildren(output, detail.children),
    renderEvents(output, detail),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function renderFacts(output: Output, { item, table, owners, age }: ObjectDetail, now: number): string {
  const metadata = asObject(asObject(item.object)["metadata"]);
  const columns = table.columns.flatMap((column, index): [string, string][] => {
    const isShown = index > 0 && column.name !== "Age" && !column.name.startsWith("Nominated");
    const cell = item.cells[index] ?? null;
    return isShown && cell !== null && cell !== "" ? [[column.name, formatCell(cell, column, now)]] : [];
  });
  const facts: [string, string][] = [
    ["Name", printable(item.name)],
    ...(item.namespace === undefined ? [] : [["Namespace", printable(item.namespace)] as [string, string]]),
    ["Cluster", output.safe(item.cluster)],
    ["Data", describeAge(output, age, item.kind)],
    ["Kind", printable(`${item.kindName} (${item.apiVersion})`)],
    ["UID", printable(item.uid)],
    ["Created", `${item.createdAt} (${formatAge(now - Date.parse(item.createdAt))} ago)`],
    ...(item.deletedAt === undefined ? [] : [["Deleted", item.deletedAt] as [string, string]]),
    ...listPairs("Labels", item.labels),
    ...listPairs("Annotations", asObject(metadata["annotations"])),
    ["Owned by", owners.length === 0 ? "-" : owners.map(refText).join(" < ")],
    ["Health", paintHealth(output, item) + (item.healthMessage ? `: ${printable(item.healthMessage)}` : "")],
    ...columns,
  ];
  const cut = item.isCut ? "It was too large: a part of it stayed in the cluster.\n" : "";
  return renderPairs(output, facts) + cut;
}

/** The first beside the name, the others below it. */
function listPairs(name: string, values: Readonly<Record<string, unknown>>): [string, string][] {
  const entries = Object.entries(values);
  if (entries.length === 0) return [[name, "<none>"]];
  return entries.map(([key, value], index) => {
    const text = printable(asText(value));
    const short = text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
    return [index === 0 ? name : "", `${printable(key)}=${short}`];
  });
}

const maxValueLength = 200;

function renderPairs({ colors }: Output, pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length)) + 4;
  return pairs
    .map(([name, value]) => `${colors.dim((name === "" ? "" : `${printable(name)}:`).padEnd(width))}${value}\n`)
    .join("");
}

function renderConditions(output: Output, { item }: ObjectDetail, now: number): string {
  const conditions = asList(asObject(asObject(item.object)["status"])["conditions"]).map(asObject);
  const rows = conditions.map((condition) => [
    output.safe(asText(condition["type"])),
    output.safe(asText(condition["status"])),
    ageOf(condition["lastTransitionTime"], now),
    output.safe(asText(condition["reason"])),
    output.safe(asText(condition["message"])),
  ]);
  return renderTitled(output, "Conditions", ["TYPE", "STATUS", "SINCE", "REASON", "MESSAGE"], rows);
}

function ageOf(timestamp: unknown, now: number): string {
  const at = Date.parse(asText(timestamp));
  return Number.isNaN(at) ? "-" : formatAge(now - at);
}

function renderChildren(output: Output, children: readonly ObjectRef[]): string {
  const rows = children.map((child) => [refText(child), paintHealth(output, child)]);
  return renderTitled(output, "Children", ["OBJECT", "HEALTH"], rows);
}

function renderEvents(output: Output, { events }: ObjectDetail): string {
  const rows = events.map(({ cells }) => eventCells.map((index) => output.safe(String(cells[index] ?? ""))));
  const all = renderTitled(output, "Events", ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"], rows);
  return all === "" ? `${output.colors.dim("Events:")} <none>\n` : all;
}

/** Where kubectl's wide table of events has these. */
const eventCells = [0, 1, 2, 3, 6] as const;

function renderTitled(
  output: Output,
  title: string,
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length === 0) return "";
  const lines = output.table(heading, rows).trimEnd().split("\n");
  return `${output.colors.dim(`${title}:`)}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

function refText(ref: ObjectRef): string {
  return printable(`${typeName(ref)}/${ref.name}`);
}
