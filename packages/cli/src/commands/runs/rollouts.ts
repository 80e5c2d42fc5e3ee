import type { HubClient, RolloutStateName, Rollout as Shown } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { rolloutHeading, toRolloutRow } from "./rollout-text.ts";

interface ListOptions {
  readonly state?: RolloutStateName;
  readonly limit: number;
}

export function addRolloutList(rollout: Command, open: OpenContext): void {
  rollout
    .command("list")
    .prints("rollout")
    .formerly("rollouts")
    .description("List rollouts, newest first")
    .examples("fairlead rollout list --state running,paused")
    .option("--state <states>", "Only rollouts in these states, for example running,paused")
    .option("--limit <number>", "Maximum number of entries", parseLimit, 50)
    .action((options: ListOptions, command: Command) => listRollouts(open(command), options));
}

async function listRollouts(context: CommandContext, { state, limit }: ListOptions): Promise<void> {
  const { output, signal } = context;
  const items = await readNewest(await context.hub(), { state, limit }, signal);
  output.answer({ items }, () =>
    items.length === 0
      ? ""
      : output.table(
          rolloutHeading,
          items.map((one) => toRolloutRow(context, one)),
        ),
  );
  if (items.length === 0) output.remark("No rollouts.");
}

async function readNewest(
  hub: Pick<HubClient, "listRollouts">,
  { state, limit }: { readonly state: string | undefined; readonly limit: number },
  signal: AbortSignal,
): Promise<Shown[]> {
  const items: Shown[] = [];
  let cursor: string | undefined;
  do {
    const page = await hub.listRollouts({ state, cursor, limit: Math.min(limit - items.length, 200) }, { signal });
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined && items.length < limit);
  return items;
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw usage(`'${text}' isn't a number of rollouts.`);
  return limit;
}
