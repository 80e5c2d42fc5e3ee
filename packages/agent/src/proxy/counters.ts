import { createHistogram, type Histogram } from "@fairlead/kernel";

/** Plain numbers that the hot path adds to; the metrics page reads them. */
export interface ProxyCounters {
  inFlight: number;
  upgraded: number;
  answered: number;
  aborted: number;
  bytesToUpstream: number;
  bytesFromUpstream: number;
  readonly errorsByCode: Record<string, number>;
  /** How long the API server took to begin its answers, in seconds. */
  readonly responses: Histogram;
}

export function createProxyCounters(): ProxyCounters {
  return {
    inFlight: 0,
    upgraded: 0,
    answered: 0,
    aborted: 0,
    bytesToUpstream: 0,
    bytesFromUpstream: 0,
    errorsByCode: {},
    responses: createHistogram([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]),
  };
}

export function countError(counters: ProxyCounters, code: string): void {
  counters.errorsByCode[code] = (counters.errorsByCode[code] ?? 0) + 1;
}
