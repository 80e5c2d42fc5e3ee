// Connects again and again, for as long as the bus is open, and says how it stands.
import { Backoff, type Clock, sleep } from "@fairlead/kernel";
import { busErrors } from "./errors.ts";
import type { TransportEvents } from "./types.ts";

/** Works until `over` rejects with the reason. */
export interface Connected extends AsyncDisposable {
  readonly over: Promise<never>;
}

export async function keepConnected(options: {
  readonly connect: (signal: AbortSignal) => Promise<Connected>;
  readonly events: TransportEvents;
  /** For messages. */
  readonly where: string;
  readonly clock: Clock;
}): Promise<AsyncDisposable> {
  const { connect, events, where, clock } = options;
  const end = new AbortController();
  const { signal } = end;
  const tried = Promise.withResolvers<void>();
  const working = work();
  await Promise.race([tried.promise, sleep(startMs, { clock, signal })]);
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await working;
    },
  };

  async function work(): Promise<void> {
    const backoff = new Backoff({ baseMs: firstRetryMs, maxMs: lastRetryMs });
    while (!signal.aborted) {
      let upSinceMs: number | undefined;
      try {
        await using connected: Connected = await connect(signal);
        upSinceMs = clock.steadyMs();
        events.onState({ kind: "up" });
        tried.resolve();
        await connected.over;
      } catch (error) {
        if (!signal.aborted) events.onState({ kind: "away", error: toBusError(where, error), sinceMs: clock.now() });
      }
      tried.resolve();
      // A connection that ends as soon as it is made counts as none.
      if (upSinceMs !== undefined && clock.steadyMs() - upSinceMs > lastingMs) backoff.reset();
      await sleep(backoff.nextMs(), { clock, signal }).catch(() => undefined);
    }
  }
}

function toBusError(where: string, error: unknown): ReturnType<typeof busErrors.BUS_AWAY> {
  if (busErrors.is(error)) return error;
  const reason = error instanceof Error && error.message !== "" ? error.message : String(error);
  return busErrors.BUS_AWAY({ where, reason, cause: error });
}

/** For as long a start waits for the bus, so that it begins with one that works as a rule. */
const startMs = 3_000;
const firstRetryMs = 250;
const lastRetryMs = 30_000;
const lastingMs = 10_000;
