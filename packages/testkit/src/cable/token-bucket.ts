/** Says how long a chunk has to wait so that no more than the rate passes. */
export interface TokenBucket {
  setRate(bytesPerSecond: number): void;
  /** Largest chunk worth sending at once: a twentieth of a second's share. */
  readonly sliceBytes: number;
  /** Books the bytes and gives the milliseconds until they may pass: first come, first served. */
  take(sizeBytes: number): number;
}

const slicesPerSecond = 20;

export function createTokenBucket(now: () => number = () => performance.now()): TokenBucket {
  let rate = Infinity;
  let freeAtMs = 0;
  return {
    setRate(bytesPerSecond) {
      if (bytesPerSecond !== rate) freeAtMs = 0;
      rate = bytesPerSecond;
    },
    get sliceBytes() {
      return Math.max(1, Math.floor(rate / slicesPerSecond));
    },
    take(sizeBytes) {
      if (rate === Infinity) return 0;
      // A timer that fires late must not cost bandwidth, so up to one slice of lost time is made good.
      const startMs = Math.max(freeAtMs, now() - 1000 / slicesPerSecond);
      freeAtMs = startMs + (sizeBytes / rate) * 1000;
      return Math.max(0, startMs - now());
    },
  };
}
