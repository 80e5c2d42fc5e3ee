// Says of a rollout's clusters why no agent has taken their runs.
import type { CommandDetail, HubClient, RolloutCluster } from "@fairlead/contract";
import { isFairleadError } from "@fairlead/kernel";
import type { CommandContext } from "../../context.ts";
import { describeDelay } from "./run-text.ts";

export interface Delay {
  /** The same while the reason is. */
  readonly key: string;
  readonly isUsual: boolean;
  readonly text: string;
}

/** By cluster. A rollout may have thousands that run: the first of them are enough to see what is in the way. */
export async function explainNotBegun(
  context: Pick<CommandContext, "output" | "terminal" | "signal">,
  { hub, clusters }: { readonly hub: Pick<HubClient, "getCommand">; readonly clusters: readonly RolloutCluster[] },
): Promise<ReadonlyMap<string, Delay>> {
  const { signal } = context;
  const running = clusters.flatMap(({ cluster, state, command, approval }) =>
    state === "running" && command !== undefined && approval === undefined ? [{ cluster, command }] : [],
  );
  const told = await Promise.all(
    running.slice(0, mostAsked).map(async ({ cluster, command }): Promise<readonly [string, Delay][]> => {
      const run = await hub.getCommand(command, { signal }).catch(ignoreRefusal);
      const text = run && describeDelay(context, run);
      if (text === undefined) return [];
      return [[cluster, { key: JSON.stringify(run?.waiting), isUsual: run?.waiting?.for === "turn", text }]];
    }),
  );
  return new Map(told.flat());
}

/** The rollout itself is shown without it. */
function ignoreRefusal(error: unknown): CommandDetail | undefined {
  if (isFairleadError(error)) return undefined;
  throw error;
}

const mostAsked = 20;
