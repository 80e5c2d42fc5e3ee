import { expect, test } from "vitest";
import { createHistogram, createMeter, gaugeOf, histogramOf, type MeteredMetric } from "./metrics.ts";

const table = {
  lamps: gaugeOf("lamps", "Lamps", ["room"]),
  wait_seconds: histogramOf("seconds", "Waits", ["cluster"]),
};

function openMeter() {
  const registered: MeteredMetric[] = [];
  const meter = createMeter({ table, register: (metric) => void registered.push(metric) });
  return {
    meter,
    read: async () => (await Promise.all(registered.map((metric) => metric.get()))).map((one) => one.values),
  };
}

test("a histogram's buckets are cumulative, and the last one has every observation", async () => {
  const { meter, read } = openMeter();
  const histogram = createHistogram([0.1, 1]);
  for (const value of [0.1, 0.5, 0.6, 7]) histogram.observe(value);
  meter.addHistogram("wait_seconds", () => [[{ cluster: "east" }, histogram]]);
  expect(await read()).toEqual([
    [
      { metricName: "wait_seconds_bucket", labels: { cluster: "east", le: 0.1 }, value: 1 },
      { metricName: "wait_seconds_bucket", labels: { cluster: "east", le: 1 }, value: 3 },
      { metricName: "wait_seconds_bucket", labels: { cluster: "east", le: "+Inf" }, value: 4 },
      { metricName: "wait_seconds_sum", labels: { cluster: "east" }, value: 8.2 },
      { metricName: "wait_seconds_count", labels: { cluster: "east" }, value: 4 },
    ],
  ]);
});

test("the sum of a histogram never falls, whatever a clock says", () => {
  const histogram = createHistogram([0.1, 1]);
  for (const value of [0.5, -7, Number.NaN]) histogram.observe(value);
  expect([histogram.sum, histogram.count, histogram.cumulative()]).toEqual([
    0.5,
    3,
    [
      [0.1, 2],
      [1, 3],
    ],
  ]);
});

test("numbers are read when they are scraped, and a number alone is the only series", async () => {
  const { meter, read } = openMeter();
  let lamps = 1;
  meter.add("lamps", () => lamps);
  lamps = 2;
  expect(await read()).toEqual([[{ labels: {}, value: 2 }]]);
});

test("a metric of another type than its row says is refused", () => {
  const { meter } = openMeter();
  expect(() => meter.add("wait_seconds", () => 1)).toThrow("wait_seconds is a histogram");
  expect(() => meter.addHistogram("lamps", () => [])).toThrow("lamps is a gauge");
  expect(() => meter.add("moths", () => 1)).toThrow("the table of metrics has no moths");
});
