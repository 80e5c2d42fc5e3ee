// Tells people who wait for a run that no agent has taken why that is, as often as the reason changes.
import type { HubClient, Command as Run } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { pause } from "../../files/index.ts";
import { describeDelay } from "./run-text.ts";

export interface WaitingTeller extends Disposable {
  /** The run waits for an agent, perhaps again. */
  look(): void;
}

/** Looks until an agent has it, or this is disposed of. Whatever fails is told by who waits for the run. */
export function tellWhyWaiting(
  context: Pick<CommandContext, "output" | "terminal" | "signal">,
  { hub, run }: { readonly hub: Pick<HubClient, "getCommand">; readonly run: Run },
): WaitingTeller {
  const { output } = context;
  const over = new AbortController();
  const signal = AbortSignal.any([context.signal, over.signal]);
  let told = "";
  let isLooking = false;
  return {
    look() {
      if (isLooking) return;
      isLooking = true;
      void tell()
        .catch(() => undefined)
        .finally(() => {
          isLooking = false;
        });
    },
    [Symbol.dispose]: () => over.abort(),
  };

  async function tell(): Promise<void> {
    for (let looks = 0; ; looks++) {
      const seen = await hub.getCommand(run.id, { signal });
      const { state, waiting } = seen;
      if (state !== "queued" && state !== "approved") return;
      const key = JSON.stringify(waiting);
      // Nearly always an agent takes it in the next moment.
      const isUsual = waiting?.for === "turn" && looks === 0;
      if (waiting && key !== told && !isUsual) {
        told = key;
        output.remark(`${output.safe(run.cluster)}: ${describeDelay(context, seen)}`);
      }
      await pause(lookMs, signal);
    }
  }
}

const lookMs = 10_000;
