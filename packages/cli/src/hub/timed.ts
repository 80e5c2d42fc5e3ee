import type { HubFetch } from "@fairlead/contract";
import { createHubFetch, type HubFetchOptions } from "./http.ts";

/** When the last call began, by the clock here, and what time it was at the hub. */
export interface CallTimes {
  readonly sentAt: number;
  /** From the answer's `Date`; undefined when there was none. */
  readonly hubNow: number | undefined;
  /** Fingerprints of the CAs that the hub has, as it says them. */
  readonly toldCa?: string | undefined;
}

/** A fetch that remembers what its last answer said about the hub's clock. */
export function createTimedFetch(options: HubFetchOptions & { readonly now: () => number }): {
  readonly fetch: HubFetch;
  times(): CallTimes;
} {
  let sentAt = options.now();
  let hubNow: number | undefined;
  let toldCa: string | undefined;
  const onCa = (told: string): void => {
    toldCa = told;
  };
  const onDate = (at: number): void => {
    hubNow = at;
  };
  const fetch = createHubFetch({ ...options, onDate, onCa });
  return {
    fetch: (url, init) => {
      sentAt = options.now();
      return fetch(url, init);
    },
    times: () => ({ sentAt, hubNow, toldCa }),
  };
}
