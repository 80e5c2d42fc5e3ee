// The time during which a command is this agent's, measured by a clock that nobody sets: from before the claim or the
// renewal was asked for, which is earlier than the hub begins to count.
import type { Clock } from "@fairlead/kernel";
import { executeErrors } from "./errors.ts";

export class Lease implements Disposable {
  readonly #clock: Clock;
  readonly #lost = new AbortController();
  #endsMs = 0;
  #cancel = (): void => undefined;

  constructor(options: { readonly clock: Clock; readonly fromMs: number; readonly leaseMs: number }) {
    this.#clock = options.clock;
    this.extend(options.fromMs, options.leaseMs);
  }

  /** Aborts with COMMAND_LEASE_LOST. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Throws COMMAND_LEASE_LOST. Looks at the clock: timers of a process that stood still come late. */
  check(): void {
    if (this.#clock.steadyMs() >= this.#endsMs) this.lose();
    this.#lost.signal.throwIfAborted();
  }

  extend(fromMs: number, leaseMs: number): void {
    // A lost lease never comes back: another agent may have been at work since.
    if (this.#lost.signal.aborted) return;
    this.#endsMs = Math.max(this.#endsMs, fromMs + Math.min(leaseMs, longestMs) - marginMs);
    this.#cancel();
    const leftMs = this.#endsMs - this.#clock.steadyMs();
    if (leftMs <= 0) this.lose();
    else this.#cancel = this.#clock.after(leftMs, () => this.lose());
  }

  lose(): void {
    this.#cancel();
    if (!this.#lost.signal.aborted) this.#lost.abort(executeErrors.COMMAND_LEASE_LOST());
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }
}

/** However long the hub says: a hub that is gone or was replaced doesn't leave its commands running for days. */
const longestMs = 5 * 60_000;
/** For what was sent at the last moment and is still on its way. */
const marginMs = 2_000;
