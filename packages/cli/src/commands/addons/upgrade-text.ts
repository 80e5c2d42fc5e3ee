import { type FieldDifference, isByHand, type ObjectDifference } from "@fairlead/doctor";
import type { CommandContext } from "../../context.ts";
import type { ClusterUpgrade, PlannedUpgrade } from "./upgrade-plan.ts";

/** Steps in the order in which they are done, then what each changes. */
export function describeUpgrade(context: CommandContext, plan: ClusterUpgrade): string {
  const { output } = context;
  const { cluster, clusterType, steps, skipped } = plan;
  const table = steps.length === 0 ? "Nothing to upgrade.\n" : output.table(columns, steps.map(toRow));
  return [
    `${output.safe(cluster)} (${clusterType})\n`,
    table,
    ...skipped.map(({ addon, why }) => `${addon} is left as it is: ${output.safe(why)}\n`),
    ...steps.map((step) => `\n${step.addon}\n${describeObjects(context, step)}`),
  ].join("");
}

const columns = ["STEP", "ADDON", "CHART", "THERE", "ASKED FOR", "FROM", "NAMESPACE", "THROUGH"];

function toRow({ addon, chart, from, way }: PlannedUpgrade, index: number): string[] {
  return [`${index + 1}`, addon, chart.chart, from.version, chart.version, chart.repository, chart.namespace, way];
}

/** First what the chart does, then what somebody did by hand and what becomes of it. */
export function describeObjects(
  { output }: CommandContext,
  { objects, doubts }: { readonly objects: readonly ObjectDifference[]; readonly doubts: readonly string[] },
): string {
  const lines = objects.flatMap((object) => [
    ...(object.is === "unchanged" || object.is === "absent" ? [] : [`  ${object.is} ${object.ref}`]),
    ...object.fields
      .filter((field) => !isByHand(field))
      .map((field) => `    ${field.path} ${show(field.live)} → ${show(field.after)}`),
  ]);
  const byHand = objects.flatMap(({ ref, fields }) =>
    fields.filter(isByHand).map((field) => `  changed by hand: ${ref} ${describeField(field)}`),
  );
  const unsure = doubts.map((doubt) => `  not sure: ${doubt}`);
  const changes = lines.length === 0 ? ["  No object changes."] : lines;
  return `${[...changes, ...byHand, ...unsure].map((line) => output.safe(line)).join("\n")}\n`;
}

/** `spec.replicas 1 → 3 by kubectl-edit; this sets it back to 1`: an upgrade, or an adoption. */
function describeField({ path, before, live, after, is, by }: FieldDifference): string {
  const who = by.length === 0 ? "" : ` by ${by.join(", ")}`;
  const change = `${path} ${show(before)} → ${show(live)}${who}`;
  switch (is) {
    case "set-back":
      return `${change}; this sets it back to ${show(after)}`;
    case "agreed":
      return `${change}; this says the same`;
    case "removed":
      return `${change}; this takes it away`;
    case "kept":
      return `${change}; this keeps it`;
    case "changed":
      return change;
    default:
      return is satisfies never;
  }
}

function show(value: unknown): string {
  if (value === undefined) return "(nothing)";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}

const mostCharacters = 120;
