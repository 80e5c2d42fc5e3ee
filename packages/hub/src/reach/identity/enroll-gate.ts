// Enrollment is open to everyone, so it may not cost everyone: so many attempts run at once, and an address that failed
// often waits for the next minute. An agent with a good token meets neither.
import { type Clock, isFairleadError, networkOf } from "@fairlead/kernel";
import { identityErrors } from "./errors.ts";

export interface EnrollGate {
  /** Throws ENROLL_TOO_MANY without running the attempt. */
  pass<T>(address: string, attempt: () => Promise<T>): Promise<T>;
}

export function createEnrollGate(options: {
  readonly clock: Clock;
  readonly failuresPerMinute?: number;
  readonly atOnce?: number;
}): EnrollGate {
  const { clock, failuresPerMinute = 60, atOnce = 256 } = options;
  let failures = new Map<string, number>();
  let minute = 0;
  let running = 0;

  return {
    async pass(from, attempt) {
      const address = networkOf(from);
      forgetLastMinute();
      const isFlood = failures.size >= maxAddresses || (failures.get(address) ?? 0) >= failuresPerMinute;
      if (isFlood || running >= atOnce) throw identityErrors.ENROLL_TOO_MANY();
      running++;
      try {
        return await attempt();
      } catch (thrown) {
        const isRefusal = isFairleadError(thrown) && thrown.httpStatus < 500;
        if (isRefusal) failures.set(address, (failures.get(address) ?? 0) + 1);
        throw thrown;
      } finally {
        running--;
      }
    },
  };

  function forgetLastMinute(): void {
    const now = Math.floor(clock.now() / 60_000);
    if (now === minute) return;
    minute = now;
    failures = new Map();
  }
}

/** A flood from more addresses than that is stopped as a whole. */
const maxAddresses = 100_000;
