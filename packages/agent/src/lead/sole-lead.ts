import { type Clock, sleep } from "@fairlead/kernel";
import { createTermHolder } from "./hold-term.ts";
import type { Lead } from "./types.ts";

/**
 * The lead of an agent that isn't one of several: it leads while it runs. Where two do, the one that started later
 * wins.
 */
export function createSoleLead(options: { clock: Clock }): Lead {
  const { clock } = options;
  const holder = createTermHolder();
  return {
    get current() {
      return holder.current;
    },
    untilLeading: holder.untilLeading,
    async run(signal) {
      holder.begin(BigInt(clock.now()));
      while (!signal.aborted) await sleep(2 ** 31, { clock, signal }).catch(() => undefined);
      holder.end("The agent is stopping.");
    },
  };
}
