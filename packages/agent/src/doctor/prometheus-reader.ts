// Keeps what Prometheus has said of late. An examination takes what is there and never waits for an answer.
import type { MetricAnswer, MetricQuery } from "@fairlead/doctor";
import type { Clock } from "@fairlead/kernel";
import type { AskPrometheus } from "./ask-prometheus.ts";

interface PrometheusReaderOptions {
  readonly ask: AskPrometheus;
  readonly clock: Clock;
  /** There is another answer than before. */
  readonly onNews: () => void;
}

interface Kept {
  readonly askedAtMs: number;
  /** Undefined: it hasn't come yet. */
  answer: MetricAnswer | undefined;
}

export class PrometheusReader {
  readonly #kept = new Map<string, Kept>();
  /** When questions of the last minute were asked: labels of pods are part of them, and may change all the time. */
  #askedAtMs: number[] = [];
  readonly #options: PrometheusReaderOptions;

  constructor(options: PrometheusReaderOptions) {
    this.#options = options;
  }

  /** By the keys of `want`. */
  get answers(): ReadonlyMap<string, MetricAnswer> {
    return new Map([...this.#kept].flatMap(([key, { answer }]) => (answer ? [[key, answer]] : [])));
  }

  /** Asks what wasn't asked within a minute, and lets go of all that isn't wanted any more. */
  want(queries: ReadonlyMap<string, MetricQuery>, signal: AbortSignal): void {
    for (const key of this.#kept.keys()) if (!queries.has(key)) this.#kept.delete(key);
    const sinceMs = this.#options.clock.steadyMs() - goodForMs;
    this.#askedAtMs = this.#askedAtMs.filter((atMs) => atMs > sinceMs);
    for (const [key, query] of queries) {
      const isFresh = (this.#kept.get(key)?.askedAtMs ?? Number.NEGATIVE_INFINITY) > sinceMs;
      if (!isFresh && this.#askedAtMs.length < mostQuestions) void this.#ask(key, query, signal);
    }
  }

  async #ask(key: string, query: MetricQuery, signal: AbortSignal): Promise<void> {
    const { ask, clock, onNews } = this.#options;
    const before = this.#kept.get(key)?.answer;
    const kept: Kept = { askedAtMs: clock.steadyMs(), answer: before };
    this.#kept.set(key, kept);
    this.#askedAtMs.push(kept.askedAtMs);
    const answer = await ask(query, signal).catch(() => undefined);
    if (!answer || this.#kept.get(key) !== kept) return;
    kept.answer = answer;
    if (JSON.stringify(before) !== JSON.stringify(answer)) onNews();
  }
}

/** Longer than one answer may take. */
const goodForMs = 55_000;
const mostQuestions = 8;
