import type { HubClient, Command as Run } from "@fairlead/contract";
import { pause } from "../../files/index.ts";

/** Looks at a run now and then, until it has ended or this is disposed of. */
export function lookAtRun(options: {
  readonly hub: Pick<HubClient, "getCommand">;
  readonly id: string;
  readonly onRun: (run: Run) => void;
  readonly signal: AbortSignal;
}): Disposable {
  const { hub, id, onRun } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  // The follower of the run's log tells of errors.
  void look().catch(() => undefined);
  return { [Symbol.dispose]: () => over.abort() };

  async function look(): Promise<void> {
    for (;;) {
      const run = await hub.getCommand(id, { signal }).catch(() => undefined);
      signal.throwIfAborted();
      if (run) onRun(run);
      if (run?.finishedAt !== undefined) return;
      await pause(everyMs, signal);
    }
  }
}

const everyMs = 2_000;
