// Tells people who wait for a run that no agent has taken why that is, as often as the reason changes.
import type { HubClient, Command as Run } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { pause } from "../../files/index.ts";
import { formatSpan } from "../../output/index.ts";
import { describeReason } from "./run-text.ts";

export interface WaitingTeller extends Disposable {
  /** The run waits for an agent, perhaps again. */
  look(): void;
}

/** Looks until an agent has it, or this is disposed of. Whatever fails is told by who waits for the run. */
export function tellWhyWaiting(
  context: Pick<CommandContext, "output" | "terminal" | "signal">,
  { hub, run }: { readonly hub: Pick<HubClient, "getCommand">; readonly run: Run },
): WaitingTeller {
  const { output, terminal } = context;
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
      const { state, waiting, deadlineAt } = await hub.getCommand(run.id, { signal });
      if (state !== "queued" && state !== "approved") return;
      const key = JSON.stringify(waiting);
      // Nearly always an agent takes it in the next moment.
      const isUsual = waiting?.for === "turn" && looks === 0;
      if (waiting && key !== told && !isUsual) {
        told = key;
        const left = formatSpan(Date.parse(deadlineAt) - terminal.now());
        const why = describeReason(context, waiting);
        output.remark(
          `${output.safe(run.cluster)}: ${state}: ${why}. The run expires in ${left} unless an agent takes it.`,
        );
      }
      await pause(lookMs, signal);
    }
  }
}

const lookMs = 10_000;
