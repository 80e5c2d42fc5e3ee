import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, test } from "vitest";
import { hubMetrics } from "./metric-table.ts";
import { makeSources, readPage, type Series } from "./metrics.fixture.ts";
import { createMetrics } from "./metrics.ts";

test("each metric of the table is on the page, with the labels of its row and no others", async () => {
  const { series, text } = await readMetrics(makeSources(["east"]));
  for (const [name, row] of Object.entries(hubMetrics)) {
    expect(text).toContain(`# TYPE ${name} ${row.type}\n`);
    const own = series.filter((one) => nameOf(one) === name);
    expect(own.length, name).toBeGreaterThan(0);
    for (const { labels } of own)
      expect(
        Object.keys(labels)
          .filter((label) => label !== "le")
          .sort(),
        name,
      ).toEqual([...row.labels].sort());
  }
  const ours = series.map(nameOf).filter((name) => name.startsWith("fairlead_"));
  expect([...new Set(ours)].filter((name) => !(name in hubMetrics))).toEqual([]);
});

test("names say their unit: counters end in _total, times in _seconds and sizes in _bytes", () => {
  for (const [name, { type, unit }] of Object.entries(hubMetrics)) {
    expect(name.endsWith("_total"), name).toBe(type === "counter");
    if (unit.startsWith("seconds")) expect(name).toMatch(/_seconds$/);
    if (unit === "seconds since 1970") expect(name).toMatch(/_timestamp_seconds$/);
    if (unit === "bytes") expect(name).toMatch(/_bytes(_total)?$/);
  }
});

test("clusters beyond --metrics-clusters have no series, are counted, and cost the others nothing", async () => {
  const names = Array.from({ length: 300 }, (_, at) => `c${String(at).padStart(4, "0")}`);
  const { series } = await readMetrics(makeSources(names), 200);
  const byCluster = Map.groupBy(
    series.filter(({ labels }) => labels["cluster"] !== undefined),
    ({ labels }) => labels["cluster"],
  );
  expect([...byCluster.keys()]).toEqual(names.slice(0, 200));
  expect(new Set([...byCluster.values()].map((own) => own.length))).toEqual(new Set([63]));
  expect(readValue(series, "fairlead_clusters_without_metrics")).toBe(100);
  expect(readValue(series, "fairlead_clusters", { state: "connected" })).toBe(300);
  const { series: none } = await readMetrics(makeSources(names), 0);
  expect(none.filter(({ labels }) => "cluster" in labels)).toEqual([]);
  expect(countOurs(none)).toBe(countOurs(series) - 200 * 63);
});

test("a cluster that is removed while the page is made has no series, and the page is whole", async () => {
  const sources = makeSources(["east", "west"]);
  const listed = sources.clusters.names();
  sources.remove("east");
  const { series } = await readMetrics({ ...sources, clusters: { ...sources.clusters, names: () => listed } });
  expect(new Set(series.flatMap(({ labels }) => labels["cluster"] ?? []))).toEqual(new Set(["west"]));
  expect(readValue(series, "fairlead_clusters", { state: "connected" })).toBe(1);
});

test("a certificate's end is a time and the seconds until then, of a cluster the first one", async () => {
  const { series } = await readMetrics(makeSources(["east"]));
  expect(readValue(series, "fairlead_certificate_expiry_timestamp_seconds")).toBe(60);
  expect(readValue(series, "fairlead_certificate_remaining_seconds")).toBe(50);
  expect(readValue(series, "fairlead_cluster_certificate_expiry_timestamp_seconds")).toBe(60);
  expect(readValue(series, "fairlead_cluster_certificate_remaining_seconds")).toBe(50);
});

async function readMetrics(sources: ReturnType<typeof makeSources> | Parameters<typeof createMetrics>[0], max = 1_000) {
  const clock = createMovableClock(10_000);
  const text = await createMetrics(sources, { maxClusters: max, version: "1.2.3", clock }).render();
  return { text, series: readPage(text) };
}

/** Without those of Node.js, which come and go. */
function countOurs(series: readonly Series[]): number {
  return series.filter(({ name }) => name.startsWith("fairlead_")).length;
}

/** Of the metric, whatever its histogram calls the series. */
function nameOf({ name }: Series): string {
  const base = name.replace(/_(bucket|sum|count)$/, "");
  return hubMetrics[base]?.type === "histogram" ? base : name;
}

function readValue(series: readonly Series[], name: string, labels: Readonly<Record<string, string>> = {}) {
  const isMeant = (one: Series): boolean => Object.entries(labels).every(([label, text]) => one.labels[label] === text);
  return series.find((one) => one.name === name && isMeant(one))?.value;
}
