// A command that this agent has claimed: its lease, and what people and the agent's own stop ask of it.
import { type Clock, onAbort } from "@fairlead/kernel";
import { Cancellation } from "@fairlead/protocol";
import { executeErrors } from "./errors.ts";
import { Lease } from "./lease.ts";

export class HeldCommand implements Disposable {
  readonly id: string;
  readonly epoch: bigint;
  readonly lease: Lease;
  readonly #stopped = new AbortController();
  readonly #forced = new AbortController();
  readonly #left = new AbortController();
  #isOver = false;
  readonly #listening: Disposable;
  #cancelLimit = (): void => undefined;

  constructor(options: {
    readonly id: string;
    readonly epoch: bigint;
    readonly clock: Clock;
    readonly fromMs: number;
    readonly leaseMs: number;
    /** How long it may run under this claim, however often the hub renews it. */
    readonly limitMs?: number | undefined;
    readonly onLimit?: (() => void) | undefined;
  }) {
    this.id = options.id;
    this.epoch = options.epoch;
    this.lease = new Lease(options);
    this.#listening = onAbort(this.lease.signal, (reason) => {
      this.#stopped.abort(reason);
      this.#forced.abort(reason);
    });
    if (options.limitMs !== undefined) this.#limit(options.clock, options.limitMs, options.onLimit);
  }

  /** Aborts at a graceful cancel, a lost lease and a stop of the agent. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  get forced(): AbortSignal {
    return this.#forced.signal;
  }

  /** Its outcome is told: the lease needs no renewal, and another command may come. */
  get isOver(): boolean {
    return this.#isOver;
  }

  settle(): void {
    this.#isOver = true;
    this.lease[Symbol.dispose]();
  }

  /** Aborts when the rest of the log can't be waited for. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  /** The command is claimed anew, and waits for this claim's end. */
  leave(): void {
    this.lease.lose();
    this.#left.abort(executeErrors.COMMAND_LEASE_LOST());
  }

  /** Takes the hub's answer to a renewal of the lease. */
  heed(cancellation: Cancellation): void {
    if (cancellation === Cancellation.UNSPECIFIED) return;
    this.#stopped.abort(executeErrors.COMMAND_CANCELLED());
    if (cancellation === Cancellation.FORCED) this.#forced.abort(executeErrors.COMMAND_CANCELLED());
  }

  /** Cancels it like a person would: gracefully, then by force. What ignores both loses its lease. */
  #limit(clock: Clock, limitMs: number, onLimit: (() => void) | undefined): void {
    const after = (delayMs: number, step: () => void): void => {
      this.#cancelLimit = clock.after(delayMs, () => {
        if (!this.#isOver) step();
      });
    };
    after(limitMs, () => {
      onLimit?.();
      this.heed(Cancellation.GRACEFUL);
      after(patienceMs, () => {
        this.heed(Cancellation.FORCED);
        after(patienceMs, () => this.lease.lose());
      });
    });
  }

  /** The agent stops: what isn't at its end is left for the next one. */
  stop(how: "graceful" | "forced"): void {
    this.#stopped.abort(executeErrors.COMMAND_AGENT_STOPS());
    if (how === "forced") this.#forced.abort(executeErrors.COMMAND_AGENT_STOPS());
  }

  [Symbol.dispose](): void {
    this.#cancelLimit();
    this.#listening[Symbol.dispose]();
    this.lease[Symbol.dispose]();
  }
}

/** Between the steps by which a command that is over its limit is ended. */
const patienceMs = 5 * 60_000;
