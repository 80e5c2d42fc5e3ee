// Guessing a token is hopeless; this only keeps someone who tries anyway from costing much. Counts failures, so that
// whoever signs in properly never meets it.
import { type Clock, isFairleadError, networkOf } from "@fairlead/kernel";
import { tokenErrors } from "../tokens/index.ts";

export interface FailureLimit {
  /** Runs an attempt from this address. Throws AUTH_TOO_MANY_FAILURES without running it after too many failed ones. */
  guard<T>(address: string, attempt: () => Promise<T>): Promise<T>;
  /** Counts what costs something whether it fails or not. Throws AUTH_TOO_MANY_FAILURES. */
  count(address: string): void;
}

export function createFailureLimit(options: { readonly clock: Clock; readonly maxPerMinute: number }): FailureLimit {
  const { clock, maxPerMinute } = options;
  let counts = new Map<string, number>();
  let minute = 0;

  return {
    async guard(address, attempt) {
      check(address);
      try {
        return await attempt();
      } catch (thrown) {
        if (isFairleadError(thrown) && thrown.httpStatus >= 400 && thrown.httpStatus < 500) add(address);
        throw thrown;
      }
    },

    count(address) {
      check(address);
      add(address);
    },
  };

  function check(address: string): void {
    const now = Math.floor(clock.now() / 60_000);
    if (now !== minute) {
      minute = now;
      counts = new Map();
    }
    if ((counts.get(networkOf(address)) ?? 0) >= maxPerMinute) throw tokenErrors.AUTH_TOO_MANY_FAILURES();
  }

  function add(from: string): void {
    const address = networkOf(from);
    // An attacker with this many addresses can't be stopped by counting them; others shouldn't be stopped in their
    // place.
    if (counts.size < maxAddresses || counts.has(address)) counts.set(address, (counts.get(address) ?? 0) + 1);
  }
}

const maxAddresses = 100_000;
