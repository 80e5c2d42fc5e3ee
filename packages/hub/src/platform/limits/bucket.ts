/**
 * A token bucket that lets bytes pass first and asks for the wait afterwards, as they have already come. It holds one
 * second's worth, so short bursts go through at full speed.
 */
export class Bucket {
  #tokens: number;
  #atMs: number;

  constructor(bytesPerSecond: number, nowMs: number) {
    this.#tokens = bytesPerSecond;
    this.#atMs = nowMs;
  }

  /** Milliseconds until what has passed is within the rate again. The rate may differ from call to call. */
  take(sizeBytes: number, bytesPerSecond: number, nowMs: number): number {
    const passedMs = Math.max(0, nowMs - this.#atMs);
    this.#atMs = nowMs;
    this.#tokens = Math.min(bytesPerSecond, this.#tokens + (passedMs * bytesPerSecond) / 1_000) - sizeBytes;
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1_000) / bytesPerSecond);
  }
}
