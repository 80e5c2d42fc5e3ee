// Metrics as data: a program's table says what each one is, and its numbers are read when they are scraped. The hot path
// adds to plain numbers only.

export interface MetricRow {
  readonly type: "gauge" | "counter" | "histogram";
  /** A sentence for `# HELP` and docs/metrics.md. */
  readonly help: string;
  readonly labels: readonly string[];
  /** `seconds`, `bytes`, or the noun that is counted; `1` for yes and no. */
  readonly unit: string;
}

/** A row of a program's table, in the shortest form. */
export function gaugeOf(unit: string, help: string, labels: readonly string[] = []): MetricRow {
  return { type: "gauge", unit, help, labels };
}

export function counterOf(unit: string, help: string, labels: readonly string[] = []): MetricRow {
  return { type: "counter", unit, help, labels };
}

export function histogramOf(unit: string, help: string, labels: readonly string[] = []): MetricRow {
  return { type: "histogram", unit, help, labels };
}

export type MetricTable = Readonly<Record<string, MetricRow>>;

export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

export interface Histogram {
  observe(value: number): void;
  /** How many observations are at most the bound, for each bound in ascending order. */
  readonly cumulative: () => readonly (readonly [bound: number, count: number])[];
  readonly count: number;
  readonly sum: number;
}

/** In the shape that prom-client's registries take. */
export interface MeteredMetric {
  readonly name: string;
  readonly help: string;
  readonly type: MetricRow["type"];
  get(): Promise<MetricReading>;
}

export interface MetricReading {
  readonly name: string;
  readonly help: string;
  readonly type: MetricRow["type"];
  readonly aggregator: "sum";
  readonly values: readonly {
    readonly metricName?: string;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
  }[];
}

export interface Meter {
  /** For gauges and counters. A number alone is the value of the only series. */
  add(name: string, read: () => number | readonly Sample[]): void;
  addHistogram(
    name: string,
    read: () => readonly (readonly [labels: Readonly<Record<string, string>>, histogram: Histogram])[],
  ): void;
}

export function createMeter(options: {
  readonly table: MetricTable;
  readonly register: (metric: MeteredMetric) => void;
}): Meter {
  const { table, register } = options;
  return {
    add(name, read) {
      registerRow(name, false, () => toSamples(read()).map(([labels, value]) => ({ labels, value })));
    },
    addHistogram(name, read) {
      registerRow(name, true, () => read().flatMap(([labels, histogram]) => expand({ name, labels, histogram })));
    },
  };

  function registerRow(name: string, isHistogram: boolean, read: () => MetricReading["values"]): void {
    const row = table[name];
    if (row === undefined) throw new Error(`the table of metrics has no ${name}`);
    if ((row.type === "histogram") !== isHistogram) throw new Error(`${name} is a ${row.type}`);
    const { help, type } = row;
    const get = async (): Promise<MetricReading> => ({ name, help, type, aggregator: "sum", values: read() });
    register({ name, help, type, get });
  }
}

export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = bounds.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    observe(measured) {
      // A clock that was set back must not let sums fall, which would look like a restart.
      const value = Number.isNaN(measured) ? 0 : Math.max(measured, 0);
      count += 1;
      sum += value;
      const at = bounds.findIndex((bound) => value <= bound);
      if (at >= 0) counts[at] = (counts[at] ?? 0) + 1;
    },
    cumulative() {
      let total = 0;
      return bounds.map((bound, at) => {
        total += counts[at] ?? 0;
        return [bound, total] as const;
      });
    },
    get count() {
      return count;
    },
    get sum() {
      return sum;
    },
  };
}

function toSamples(read: number | readonly Sample[]): readonly Sample[] {
  return typeof read === "number" ? [[{}, read]] : read;
}

function expand(options: {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly histogram: Histogram;
}): MetricReading["values"] {
  const { name, labels, histogram } = options;
  const buckets = [...histogram.cumulative(), ["+Inf", histogram.count] as const];
  return [
    ...buckets.map(([le, value]) => ({ metricName: `${name}_bucket`, labels: { ...labels, le }, value })),
    { metricName: `${name}_sum`, labels, value: histogram.sum },
    { metricName: `${name}_count`, labels, value: histogram.count },
  ];
}
