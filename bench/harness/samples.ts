import { median } from "./stats.ts";

/** The figures of all the rounds, by metric and by the way they were measured on. */
export class Samples {
  readonly #values = new Map<string, number[]>();

  add(metric: string, way: string, value: number): void {
    const key = `${metric} ${way}`;
    this.#values.set(key, [...(this.#values.get(key) ?? []), value]);
  }

  /** Leaves out ways on which the metric wasn't measured. */
  medians(metric: string, ways: readonly string[]): Record<string, number> {
    return Object.fromEntries(
      ways.flatMap((way) => {
        const values = this.#values.get(`${metric} ${way}`);
        return values === undefined ? [] : [[way, median(values)]];
      }),
    );
  }
}
