// Tokens that aren't in memory may have been given out by another hub, so they are looked for in the database before they
// are refused. Strangers can make up as many as they like: one statement at a time looks for all that wait, so many may
// wait, and one that nobody knows isn't looked for again.
import type { Clock } from "@fairlead/kernel";
import { tokenErrors } from "./errors.ts";

export interface LookUps {
  /** `good`: it is in memory now. Throws AUTH_TOO_MANY_UNKNOWN. */
  find(token: WantedToken): Promise<Found>;
  /** Undefined when it would have to be looked for. */
  known(sha256: string): Exclude<Found, "good"> | undefined;
  /** It isn't good any more. */
  forget(sha256: string, as: Exclude<Found, "good">): void;
}

export interface WantedToken {
  readonly kind: "session" | "robot" | "admin";
  readonly sha256: string;
}

export type Found = "good" | "over" | "unknown";

export function createLookUps(options: {
  readonly clock: Clock;
  /** Takes what it finds into memory. Tokens that aren't in the answer are unknown. */
  readonly lookUp: (tokens: readonly WantedToken[]) => Promise<ReadonlyMap<string, "good" | "over">>;
  readonly maxWaiting?: number;
  readonly maxRemembered?: number;
}): LookUps {
  const { clock, lookUp, maxWaiting = 1_000, maxRemembered = 20_000 } = options;
  const refused = new Map<string, { readonly as: Exclude<Found, "good">; readonly untilMs: number }>();
  const waiting = new Map<string, Waiting>();
  let looking: Map<string, Waiting> = new Map();

  return {
    async find(token) {
      const { sha256 } = token;
      const before = known(sha256);
      if (before !== undefined) return before;
      const asked = looking.get(sha256) ?? waiting.get(sha256);
      if (asked) return await asked.promise;
      if (waiting.size >= maxWaiting) throw tokenErrors.AUTH_TOO_MANY_UNKNOWN();
      const mine = { token, ...Promise.withResolvers<Found>() };
      waiting.set(sha256, mine);
      if (looking.size === 0) void look();
      return await mine.promise;
    },

    known,
    forget: remember,
  };

  async function look(): Promise<void> {
    while (waiting.size > 0) {
      looking = new Map(waiting);
      waiting.clear();
      try {
        const found = await lookUp([...looking.values()].map(({ token }) => token));
        for (const [sha256, { token, resolve }] of looking) {
          const is = found.get(sha256) ?? "unknown";
          // A new admin token is in its file before it is in the database.
          if (is !== "good" && token.kind !== "admin") remember(sha256, is);
          resolve(is);
        }
      } catch (error) {
        for (const { reject } of looking.values()) reject(error);
      }
    }
    looking = new Map();
  }

  function known(sha256: string): Exclude<Found, "good"> | undefined {
    const found = refused.get(sha256);
    return found && found.untilMs > clock.now() ? found.as : undefined;
  }

  function remember(sha256: string, as: Exclude<Found, "good">): void {
    refused.delete(sha256);
    const [oldest] = refused.size >= maxRemembered ? refused.keys() : [];
    if (oldest !== undefined) refused.delete(oldest);
    refused.set(sha256, { as, untilMs: clock.now() + refusedForMs });
  }
}

interface Waiting extends PromiseWithResolvers<Found> {
  readonly token: WantedToken;
}

/** Nobody holds a token before the database does. The bound is for a database that was restored. */
const refusedForMs = 10 * 60_000;
