// Bounds how much of the hub's own API one caller may have in flight: a person over all connections, or an address from
// which someone comes without a sign-in. Requests beyond are told to come back, as on the way to clusters.
import { type FairleadError, networkOf } from "@fairlead/kernel";
import { limitsErrors } from "./errors.ts";
import { shareOf } from "./share.ts";

export interface ApiLimitSettings {
  readonly userApiRequests: number;
  readonly addressApiRequests: number;
}

export type ApiCaller =
  | { readonly kind: "user"; readonly uid: string; readonly name: string }
  | { readonly kind: "stranger"; readonly remoteAddress: string };

export interface ApiLimits {
  /** Gives the way to end it, of which later calls do nothing. Throws LIMIT_USER_API_REQUESTS or LIMIT_ADDRESS_REQUESTS. */
  admitApi(caller: ApiCaller): () => void;
}

export function createApiLimits(
  settings: ApiLimitSettings,
  options: { readonly hubs: () => number; readonly onRefused: (error: FairleadError) => void },
): ApiLimits {
  const { hubs, onRefused } = options;
  const inFlight = new Map<string, number>();
  return {
    admitApi(caller) {
      const { key, limit, excess } = findBound(caller, settings, hubs());
      const count = inFlight.get(key) ?? 0;
      if (count >= limit) {
        const error = excess();
        onRefused(error);
        throw error;
      }
      inFlight.set(key, count + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (inFlight.get(key) ?? 1) - 1;
        if (left > 0) inFlight.set(key, left);
        else inFlight.delete(key);
      };
    },
  };
}

interface Bound {
  readonly key: string;
  readonly limit: number;
  readonly excess: () => FairleadError;
}

function findBound(caller: ApiCaller, settings: ApiLimitSettings, hubs: number): Bound {
  switch (caller.kind) {
    case "user": {
      const { uid, name } = caller;
      const limit = shareOf(settings.userApiRequests, hubs);
      return { key: `user ${uid}`, limit, excess: () => limitsErrors.LIMIT_USER_API_REQUESTS({ name, limit }) };
    }
    case "stranger": {
      const limit = shareOf(settings.addressApiRequests, hubs);
      const key = `address ${networkOf(caller.remoteAddress)}`;
      return { key, limit, excess: () => limitsErrors.LIMIT_ADDRESS_REQUESTS({ limit }) };
    }
  }
}
