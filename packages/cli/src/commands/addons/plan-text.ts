import type { InstallStep } from "@fairlead/doctor";
import type { CommandContext } from "../../context.ts";
import type { ClusterPlan } from "./make-plan.ts";

/** In the order in which it is done. */
export function describePlan(
  { output }: CommandContext,
  { cluster, clusterType, steps, skipped }: ClusterPlan,
): string {
  const heading = `${output.safe(cluster)} (${clusterType})\n`;
  const rows = steps.map((step, index) => [`${index + 1}`, step.addon, ...describeChart(step), step.way, whyOf(step)]);
  const table = rows.length === 0 ? "Nothing to install.\n" : output.table(columns, rows);
  return `${heading}${table}${skipped.map(({ addon, why }) => `${addon} is left as it is: ${output.safe(why)}\n`).join("")}`;
}

const columns = ["STEP", "ADDON", "CHART", "FROM", "NAMESPACE", "THROUGH", "WHY"];

function describeChart({ chart }: InstallStep): string[] {
  return [`${chart.chart} ${chart.version}`, chart.repository, chart.namespace];
}

function whyOf({ neededBy }: InstallStep): string {
  return neededBy === undefined ? "asked for" : `needed by ${neededBy}`;
}
