/**
 * A token bucket that lets bytes pass first and asks for the wait afterwards, as they have already come. It holds one
 * second's worth, so short bursts go through at full speed.
 */
export class Bucket {
  readonly #bytesPerSecond: number;
  #tokens: number;
  #atMs: number;

  constructor(bytesPerSecond: number, nowMs: number) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#tokens = bytesPerSecond;
    this.#atMs = nowMs;
  }

  /** Milliseconds until what has passed is within the rate again. */
  take(sizeBytes: number, nowMs: number): number {
    const passedMs = Math.max(0, nowMs - this.#atMs);
    this.#atMs = nowMs;
    this.#tokens = Math.min(this.#bytesPerSecond, this.#tokens + (passedMs * this.#bytesPerSecond) / 1_000) - sizeBytes;
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1_000) / this.#bytesPerSecond);
  }
}
