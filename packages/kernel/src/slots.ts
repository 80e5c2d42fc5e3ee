import { onAbort } from "./abort.ts";

/** Lets only so many at a time in, in the order in which they came. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with the way out, which may be called more than once. Rejects with the signal's reason, and waits no more. */
  async enter(signal?: AbortSignal): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#free++;
      this.#letNextIn();
    };
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.add(turn.resolve);
    using _listening = signal && onAbort(signal, turn.reject);
    try {
      await turn.promise;
    } finally {
      this.#waiting.delete(turn.resolve);
    }
  }

  #letNextIn(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#free--;
    next();
  }
}
