// The alert rules and the dashboard of the hub's chart ask for metrics that there are, by labels and values that they have.
import { readFileSync } from "node:fs";
import { systemClock } from "@fairlead/kernel";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { hubMetrics } from "./metric-table.ts";
import { makeSources, readPage, type Series } from "./metrics.fixture.ts";
import { createMetrics } from "./metrics.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const { groups } = parse(read("alerts.yaml")) as { groups: readonly { name: string; rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read("dashboard.json")) as { panels: readonly Panel[] };
const targets = panels.flatMap(({ title, targets: own = [] }) => own.map((target) => ({ title, ...target })));
let series: readonly Series[] = [];
beforeAll(async () => {
  const metrics = createMetrics(makeSources(["east"]), { maxClusters: 1, version: "1.2.3", clock: systemClock });
  series = readPage(await metrics.render());
});

test.each(rules.map(({ alert, expr }) => [alert, expr]))("the alert %s asks for series that a hub has", (_, expr) => {
  expectKnown(expr);
});

test("alerts have names of their own, a severity, and a summary by labels that their expression leaves", () => {
  expect(rules.length).toBeGreaterThan(15);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert, expr, labels, annotations } of rules) {
    expect(["info", "warning", "critical"], alert).toContain(labels["severity"]);
    expect(annotations["summary"], alert).toMatch(/\.$/);
    expect(annotations["description"], alert).toMatch(/\.$/);
    const used = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label = ""]) => label);
    for (const label of used) expect(labelsOf(expr), alert).toContain(label);
  }
});

test.each(targets.map(({ title, expr }) => [title, expr]))("the panel %s asks for series that a hub has", (_, expr) => {
  expectKnown(expr.replaceAll("$__rate_interval", "5m").replaceAll("$cluster", ".*"));
});

test("panels say what they show, and none lies over another", () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const taken = new Set<string>();
  for (const { title, type, description, gridPos, targets: own } of panels) {
    if (type !== "row") expect([description?.length, own?.length], title).not.toContain(0);
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    const cells = cellsOf(gridPos);
    expect(
      cells.filter((cell) => taken.has(cell)),
      title,
    ).toEqual([]);
    for (const cell of cells) taken.add(cell);
  }
});

function expectKnown(expr: string): void {
  const selectors = selectorsOf(expr);
  expect(selectors.length, expr).toBeGreaterThan(0);
  for (const { name, matchers, isRange } of selectors) {
    if (fromProcess.has(name)) continue;
    const own = series.filter((one) => one.name === name && matchers.every((matches) => matches(one.labels)));
    expect(own, `${name} in ${expr}`).not.toEqual([]);
    const row = hubMetrics[name] ?? hubMetrics[name.replace(/_(bucket|sum|count)$/, "")];
    if (isRange) expect(row?.type, name).not.toBe("gauge");
    if (row?.type !== "gauge") expect(expr, `${name} only grows`).toMatch(/rate\(|increase\(/);
  }
  const known = new Set(["job", "instance", ...selectors.flatMap(({ name }) => labelsOfSeries(name))]);
  for (const label of labelsOf(expr)) expect(known, expr).toContain(label);
  for (const [open, close] of ["()", "{}", "[]"]) expect(count(expr, open), expr).toBe(count(expr, close));
}

interface Selector {
  readonly name: string;
  readonly matchers: readonly ((labels: Readonly<Record<string, string>>) => boolean)[];
  readonly isRange: boolean;
}

/** Of PromQL as far as our files use it. */
function selectorsOf(expr: string): readonly Selector[] {
  const selector = /\b((?:fairlead|process)_\w+)(?:\{([^}]*)\})?(\[)?/g;
  return [...expr.matchAll(selector)].map(([, name = "", inner = "", range]) => ({
    name,
    matchers: [...inner.matchAll(/(\w+)(=~|=)"([^"]*)"/g)].map(
      ([, label = "", operator, text = ""]) =>
        (labels) =>
          label in labels && (operator === "=" ? labels[label] === text : matchesWhole(labels[label] ?? "", text)),
    ),
    isRange: range !== undefined,
  }));
}

function matchesWhole(value: string, pattern: string): boolean {
  return pattern.split("|").some((part) => new RegExp(`^(?:${part})$`).test(value));
}

/** The labels that an aggregation keeps or a join goes by; those of its only series where there is neither. */
function labelsOf(expr: string): readonly string[] {
  const named = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/));
  return named.length > 0 ? named : selectorsOf(expr).flatMap(({ name }) => labelsOfSeries(name));
}

function labelsOfSeries(name: string): readonly string[] {
  return [...new Set(series.filter((one) => one.name === name).flatMap(({ labels }) => Object.keys(labels)))];
}

function cellsOf({ x, y, w, h }: Panel["gridPos"]): readonly string[] {
  return Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`);
}

function count(text: string, character = ""): number {
  return text.split(character).length - 1;
}

function read(file: string): string {
  return readFileSync(new URL(`../../../../../charts/fairlead-hub/files/${file}`, import.meta.url), "utf8");
}

const fromProcess = new Set(["process_resident_memory_bytes", "process_cpu_seconds_total"]);
