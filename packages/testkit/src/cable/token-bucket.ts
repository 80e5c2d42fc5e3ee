/** Says how long a chunk has to wait so that no more than the rate passes. */
export interface TokenBucket {
  setRate(bytesPerSecond: number): void;
  /** Largest chunk worth sending at once: a twentieth of a second's share. */
  readonly sliceBytes: number;
  /** Takes the bytes and gives 0, or takes nothing and gives the wait in milliseconds. */
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
      const waitMs = freeAtMs - now();
      if (waitMs > 0) return waitMs;
      // A timer that fires late must not cost bandwidth, so up to one slice of lost time is made good.
      freeAtMs = Math.max(freeAtMs, now() - 1000 / slicesPerSecond) + (sizeBytes / rate) * 1000;
      return 0;
    },
  };
}
