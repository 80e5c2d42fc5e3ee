export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
  /** In [0, 1); passed in so that tests can fix it. */
  readonly random?: () => number;
}

/** Waits for retries: the first is immediate, then uniform in [0, min(maxMs, baseMs · 2ⁿ)) ("full jitter"). */
export class Backoff {
  readonly #options: BackoffOptions;
  #attempt = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  nextMs(): number {
    const attempt = this.#attempt++;
    if (attempt === 0) return 0;
    const { baseMs, maxMs, random = Math.random } = this.#options;
    return Math.floor(random() * Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30)));
  }

  /** Call after a success that lasted. */
  reset(): void {
    this.#attempt = 0;
  }
}
