// A single hub at a time looks for ticks. This only saves work: a tick happens once, whichever hub finds it.
import { type Clock, repeat, untilAbort } from "@fairlead/kernel";
import type { Leases } from "../../platform/leases/index.ts";
import { isStoreFailure } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { TickWork } from "./ticks.ts";

export function startScheduleWork(options: {
  readonly ticks: TickWork;
  readonly leases: Pick<Leases, "hold">;
  readonly clock: Clock;
  readonly log: Logger;
}): AsyncDisposable {
  const { ticks, leases, clock, log } = options;
  return leases.hold("schedules", {
    async work({ signal }) {
      await using _repeating = repeat({
        clock,
        intervalMs: lookMs,
        firstMs: 0,
        run: () => run(signal),
        // The store itself reports that it is away.
        onError: (error) => {
          if (!isStoreFailure(error)) log.warn({ err: error }, "schedules couldn't be looked after");
        },
      });
      await untilAbort(signal);
    },
  });

  async function run(signal: AbortSignal): Promise<void> {
    await ticks.note(signal);
    await ticks.begin(signal);
  }
}

const lookMs = 1_000;
