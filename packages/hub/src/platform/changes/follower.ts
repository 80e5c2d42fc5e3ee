// Calls one reread, as often as the counter of its topic says.
import { Backoff, type Clock, orAbort } from "@fairlead/kernel";
import type { Logger } from "../telemetry/index.ts";
import {
  beginsReading,
  type FollowerEvent,
  type FollowerState,
  type Look,
  nextFollowerState,
  unread,
} from "./follower-state.ts";
import type { Topic } from "./topics.ts";

export interface Follower extends AsyncDisposable {
  readonly topic: Topic;
  looked(look: Look): void;
  /** Resolves when it has read all that the look with this number saw, or when it has ended. */
  covered(look: number, signal?: AbortSignal): Promise<void>;
}

export function createFollower(options: {
  readonly topic: Topic;
  readonly reread: (signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onRead: (outcome: "read" | "failed") => void;
}): Follower {
  const { topic, reread, clock, log, onRead } = options;
  const end = new AbortController();
  const backoff = new Backoff({ baseMs: firstRetryMs, maxMs: lastRetryMs });
  const waiters = new Set<{ readonly look: number; readonly resolve: () => void }>();
  let state: FollowerState = unread;
  let running: Promise<void> = Promise.resolve();
  let cancelRetry: () => void = () => undefined;
  let isFailing = false;

  return {
    topic,
    looked: (look) => become({ kind: "looked", look }),
    async covered(look, signal) {
      if (state.covered >= look || state.kind === "ended") return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiter = { look, resolve };
      waiters.add(waiter);
      await (signal ? orAbort(promise, signal) : promise).finally(() => waiters.delete(waiter));
    },
    async [Symbol.asyncDispose]() {
      become({ kind: "ended" });
      cancelRetry();
      end.abort();
      await running;
    },
  };

  function become(event: FollowerEvent): void {
    const before = state;
    state = nextFollowerState(before, event);
    for (const { look, resolve } of waiters) if (state.covered >= look || state.kind === "ended") resolve();
    if (beginsReading(before, event, state)) running = read();
  }

  async function read(): Promise<void> {
    try {
      await reread(end.signal);
    } catch (error) {
      if (end.signal.aborted) return;
      onRead("failed");
      if (!isFailing) log.warn({ topic, err: error }, "changes can't be read; trying again");
      isFailing = true;
      become({ kind: "failed" });
      cancelRetry = clock.after(backoff.nextMs(), () => become({ kind: "due" }));
      return;
    }
    backoff.reset();
    onRead("read");
    if (isFailing) log.info({ topic }, "changes are read again");
    isFailing = false;
    become({ kind: "read" });
  }
}

const firstRetryMs = 250;
/** A right that was taken away elsewhere holds here for as long as that. */
const lastRetryMs = 2_000;
