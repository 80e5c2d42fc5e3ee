// The alert rules and the dashboard of the hub's chart, and the tables of docs/metrics.md, as tests ask for them.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "@fairlead/testkit";
import { parse } from "yaml";

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface Panel {
  readonly title: string;
  readonly expr: string;
  /** Labels that its legend names. */
  readonly labels: readonly string[];
}

export async function readAlertFile(
  chart: string,
): Promise<{ readonly text: string; readonly alerts: readonly Alert[] }> {
  const text = await readFile(join(repoRoot, "charts", chart, "files/alerts.yaml"), "utf8");
  const { groups } = parse(text) as { groups: readonly { rules: readonly Alert[] }[] };
  return { text, alerts: groups.flatMap(({ rules }) => rules) };
}

/** One for each query of the dashboard. */
export async function readPanels(): Promise<readonly Panel[]> {
  const { panels } = JSON.parse(await readFile(join(repoRoot, "charts/fairlead-hub/files/dashboard.json"), "utf8")) as {
    panels: readonly { title: string; targets?: readonly { expr: string; legendFormat: string }[] }[];
  };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => {
      const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
      return { title, expr, labels };
    }),
  );
}

/**
 * Further groups for a rule file. Those with the label copy="short" fire at once. Those with copy="text" always fire, for
 * their texts: the value is 5,000, and there are all labels that texts name.
 */
export function toCopies(alerts: readonly Alert[]): object {
  const short = alerts.map(({ for: _, ...alert }) => ({ ...alert, labels: { ...alert.labels, copy: "short" } }));
  const labelled = Object.entries(textLabels).reduce(
    (expr, [label, value]) => `label_replace(${expr}, "${label}", "${value}", "", "")`,
    "vector(5000)",
  );
  const text = alerts.map(({ alert, annotations }) => ({
    alert,
    expr: labelled,
    labels: { copy: "text" },
    annotations,
  }));
  return {
    groups: [
      { name: "short", rules: short },
      { name: "text", rules: text },
    ],
  };
}

/** The expression of an alert without its comparisons: what it compares, whether or not all is well. */
export function withoutLimits(expr: string): string {
  return expr.replaceAll(/\s(?:==|[<>])\s*[\d.]+/g, "");
}

/** Name and type of each metric of a table of docs/metrics.md. */
export async function readDocumented(program: string): Promise<readonly (readonly [name: string, type: string])[]> {
  const page = await readFile(join(repoRoot, "docs/metrics.md"), "utf8");
  const from = page.indexOf(`<!-- metrics of ${program} -->`);
  const table = page.slice(from, page.indexOf(`<!-- end of metrics of ${program} -->`));
  return [...table.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name = "", type = ""]) => [name, type]);
}

const textLabels = { cluster: "east", listener: "people", share: "own", adapter: "memory", instance: "10.0.0.7:9090" };
