/** Plain numbers that the hot path adds to; the metrics page reads them. */
export interface ProxyCounters {
  inFlight: number;
  upgraded: number;
  answered: number;
  aborted: number;
  bytesToUpstream: number;
  bytesFromUpstream: number;
  readonly errorsByCode: Record<string, number>;
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
  };
}

export function countError(counters: ProxyCounters, code: string): void {
  counters.errorsByCode[code] = (counters.errorsByCode[code] ?? 0) + 1;
}
