// The upkeep of all commands, done by one hub at a time: ended leases, deadlines, and rows that were kept long enough.
import { type Clock, repeat, untilAbort } from "@fairlead/kernel";
import type { Leases } from "../../platform/leases/index.ts";
import { isStoreFailure } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { Sweep } from "./sweep.ts";

export function startCommandUpkeep(options: {
  readonly sweep: Sweep;
  /** Commands and logs of which there are too many or too old ones. */
  readonly forget: (signal: AbortSignal) => Promise<void>;
  readonly leases: Pick<Leases, "hold">;
  readonly clock: Clock;
  readonly log: Logger;
}): AsyncDisposable {
  const { sweep, forget, leases, clock, log } = options;
  let forgotMs = Number.NEGATIVE_INFINITY;

  return leases.hold("commands-upkeep", {
    async work({ signal }) {
      await using _repeating = repeat({
        clock,
        intervalMs: everyMs,
        firstMs: 0,
        run: () => run(signal),
        // The store itself reports that it is away.
        onError: (error) => {
          if (!isStoreFailure(error)) log.warn({ err: error }, "the upkeep of commands failed");
        },
      });
      await untilAbort(signal);
    },
  });

  async function run(signal: AbortSignal): Promise<void> {
    await sweep.freeLeases();
    await sweep.endOverdue();
    await sweep.withdraw();
    if (signal.aborted || clock.steadyMs() - forgotMs < forgetEveryMs) return;
    forgotMs = clock.steadyMs();
    await forget(signal);
  }
}

const everyMs = 5_000;
const forgetEveryMs = 5 * 60_000;
