import type { Template, TemplateClusters, TemplateDetail } from "@fairlead/contract";
import { stringify } from "yaml";
import type { CommandContext } from "../../context.ts";
import { formatSpan, type Output } from "../../output/index.ts";

type Here = Pick<CommandContext, "output" | "terminal">;

export const templateHeading: readonly string[] = ["NAME", "KIND", "CLUSTERS", "REVISION", "AGE", "BY", "DESCRIPTION"];

export function toTemplateRow({ output, terminal }: Here, template: Template): string[] {
  const { name, kind, clusters, revision, changedAt, changedBy, description } = template;
  return [
    output.safe(name),
    kind,
    output.safe(formatClusters(clusters)),
    String(revision),
    formatSpan(terminal.now() - Date.parse(changedAt)),
    output.safe(changedBy),
    output.safe(description?.split("\n")[0]),
  ];
}

export function describeTemplate({ output }: Pick<Here, "output">, template: TemplateDetail): string {
  const { name, description, kind, clusters, revision, changedAt, changedBy, spec } = template;
  const { approvals, deadlineSeconds, serviceAccount } = template;
  const facts: [string, string | undefined][] = [
    ["Template", output.safe(name)],
    ["Description", description === undefined ? undefined : output.safe(description)],
    ["Kind", kind],
    ["Clusters", output.safe(formatClusters(clusters))],
    ["Revision", `${revision}, by ${output.safe(changedBy)} at ${changedAt}`],
    ["Approvals", approvals && String(approvals.required ?? 1)],
    ["Deadline", deadlineSeconds === undefined ? undefined : `${deadlineSeconds}s`],
    ["Runs as", serviceAccount && output.safe(serviceAccount)],
  ];
  const known = facts.flatMap(([title, value]) => (value === undefined ? [] : [[`${title}:`, value]]));
  return [
    output.table(undefined, known),
    `\n${describeParameters(output, template.parameters)}`,
    spec === undefined ? "" : `\nSpec:\n${toYaml(output, spec)}`,
  ].join("");
}

/** Each line is made safe for a terminal. */
export function toYaml(output: Output, value: unknown): string {
  const lines = stringify(value, { lineWidth: 0 }).trimEnd().split("\n");
  return lines.map((line) => `  ${line === "" ? "" : output.safe(line)}\n`).join("");
}

function describeParameters(output: Output, schema: TemplateDetail["parameters"]): string {
  const { properties = {}, required = [] } = schema as Schema;
  const rows = Object.entries(properties).map(([name, { type, default: unlessTold, description, ...rules }]) => [
    output.safe(name),
    output.safe(type),
    required.includes(name) ? "needed" : unlessTold === undefined ? "-" : output.safe(JSON.stringify(unlessTold)),
    output.safe(Object.keys(rules).length > 0 ? JSON.stringify(rules) : undefined),
    output.safe(description),
  ]);
  if (rows.length === 0) return "No parameters.\n";
  return output.table(["PARAMETER", "TYPE", "UNLESS TOLD", "RULES", "DESCRIPTION"], rows);
}

function formatClusters(clusters: TemplateClusters): string {
  if ("all" in clusters) return "all";
  return "names" in clusters ? clusters.names.join(",") : clusters.selector;
}

/** As the hub lets it be. */
interface Schema {
  readonly properties?: Readonly<
    Record<string, { readonly type?: string; readonly default?: unknown; readonly description?: string }>
  >;
  readonly required?: readonly string[];
}
