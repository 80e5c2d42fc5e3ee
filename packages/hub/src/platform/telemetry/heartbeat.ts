// Finds out if the database works, beside the questions that people put to it: a probe is told how the newest check
// ended and waits for none. A check that waits behind others is no failure as long as any of them is answered.
import { type Clock, defineErrors } from "@fairlead/kernel";

export interface Heartbeat extends Disposable {
  /** From memory. Throws why the newest check failed, or STORE_SILENT. */
  judge(): void;
}

export function startHeartbeat(options: {
  readonly check: () => Promise<void>;
  /** How many statements were answered so far, whoever asked. */
  readonly answered: () => number;
  readonly clock: Clock;
}): Heartbeat {
  const { check, answered, clock } = options;
  let failure: unknown;
  let isWaiting = false;
  let seen = answered();
  // Counted rather than timed: neither a clock that is set nor a hub that had no turn itself is the database's fault.
  let silentBeats = 0;
  let cancel: () => void = () => undefined;
  beat();

  return {
    judge() {
      if (failure !== undefined) throw failure;
      if (silentBeats * everyMs >= silentMs) throw errors.STORE_SILENT({ seconds: silentMs / 1_000 });
    },
    [Symbol.dispose]: () => cancel(),
  };

  function beat(): void {
    silentBeats = isWaiting && seen === answered() ? silentBeats + 1 : 0;
    seen = answered();
    if (!isWaiting) void ask();
    cancel = clock.after(everyMs, beat);
  }

  async function ask(): Promise<void> {
    isWaiting = true;
    try {
      await check();
      failure = undefined;
    } catch (error) {
      failure = error;
    } finally {
      isWaiting = false;
      silentBeats = 0;
    }
  }
}

const errors = defineErrors({
  STORE_SILENT: {
    httpStatus: 503,
    retryable: true,
    message: "the database hasn't responded for {seconds} seconds",
    hint: "Check the database's disk. If the database stays silent, restart the hub.",
    meaning: "In `/readyz`: the database hasn't responded for 30 seconds.",
  },
});

const everyMs = 2_000;
/** Longer than any statement takes, and much longer than a probe would wait. */
const silentMs = 30_000;
