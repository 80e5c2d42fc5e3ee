// How a link bridges the time between two connections: it waits, but not for ever.
import type { Clock } from "@fairlead/kernel";
import type { Lane } from "./lane.ts";
import type { LinkClosed } from "./types.ts";

export interface ResumptionOptions {
  readonly clock: Clock;
  readonly resumeMs: number;
  /** Nobody came back in time. */
  readonly onExpired: (lane: Lane, cause: LinkClosed) => void;
}

export class Resumption {
  readonly #options: ResumptionOptions;
  readonly #waits = new Map<Lane, { readonly cause: LinkClosed; readonly cancel: () => void }>();
  /** The link's name for its next connection; undefined unless both sides can resume. */
  session: string | undefined;
  count = 0;

  constructor(options: ResumptionOptions) {
    this.#options = options;
  }

  isWaiting(lane: Lane): boolean {
    return this.#waits.has(lane);
  }

  /** Why the lane lost its connection. */
  causeOf(lane: Lane): LinkClosed | undefined {
    return this.#waits.get(lane)?.cause;
  }

  wait(lane: Lane, cause: LinkClosed): void {
    if (this.isWaiting(lane)) return;
    const { clock, resumeMs, onExpired } = this.#options;
    const expire = (): void => {
      this.#waits.delete(lane);
      onExpired(lane, cause);
    };
    this.#waits.set(lane, { cause, cancel: clock.after(resumeMs, expire) });
  }

  /** The lane goes on with another connection. */
  resumed(lane: Lane): void {
    this.count++;
    this.#waits.get(lane)?.cancel();
    this.#waits.delete(lane);
  }

  stop(): void {
    for (const { cancel } of this.#waits.values()) cancel();
    this.#waits.clear();
  }
}
