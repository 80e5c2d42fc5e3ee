import type { AuditRecord } from "@fairlead/contract";
import { printable } from "@fairlead/kernel";
import type { Output } from "../../output/index.ts";

export const recordHeading: readonly string[] = ["TIME", "WHO", "CLUSTER", "VERB", "WHAT", "RESULT", "TOOK", "REQUEST"];

/** Widths that most records keep to: a record that is followed can't wait for those after it. */
const widths = [20, 24, 12, 7, 44, 7, 7, 0];

export function describeRecord(output: Output, record: AuditRecord): string[] {
  const { who, actingAs } = record;
  return [
    record.at.replace(/\.\d+Z$/, "Z"),
    output.safe(actingAs === undefined ? who.name : `${who.name} as ${actingAs}`),
    output.safe(record.cluster),
    output.safe(record.verb),
    output.safe(whatOf(record)),
    resultOf(output, record),
    record.durationMs === undefined ? "-" : tookOf(record.durationMs),
    output.safe(record.requestId),
  ];
}

export function toLine(cells: readonly string[]): string {
  return `${cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join("  ")
    .trimEnd()}\n`;
}

function whatOf(record: AuditRecord): string {
  const { resource, subresource, namespace, name, path, count } = record;
  const times = count === undefined || count === 1 ? "" : ` (${count} times)`;
  if (resource === undefined) return printable(path) + times;
  const what = [resource, name, subresource].filter((part) => part !== undefined).join("/");
  return (namespace === undefined ? what : `${namespace}: ${what}`) + times;
}

function resultOf({ colors }: Output, { phase, status }: AuditRecord): string {
  if (phase === "start") return "begun";
  if (status === undefined) return colors.yellow("cut");
  return status >= 400 ? colors.red(String(status)) : String(status);
}

function tookOf(durationMs: number): string {
  return durationMs < 10_000 ? `${Math.round(durationMs)}ms` : `${Math.round(durationMs / 1000)}s`;
}
