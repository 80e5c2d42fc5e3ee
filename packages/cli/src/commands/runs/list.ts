import type { CommandListQuery, HubClient, Command as Run } from "@fairlead/contract";
import type { Command } from "commander";
import type { CommandContext, OpenContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { collectText } from "../collect.ts";
import { runHeading, toRow } from "./run-text.ts";

interface ListOptions {
  readonly cluster?: readonly string[];
  readonly state?: string;
  readonly kind?: string;
  readonly by?: string;
  readonly limit: number;
}

export function addRuns(program: Command, open: OpenContext): void {
  program
    .command("runs")
    .description("list what clusters were asked to do, newest first")
    .option("--cluster <cluster>", "only in this cluster; repeat for more", collectText)
    .option("--state <states>", "only in these states: queued,running,failed")
    .option("--kind <kinds>", "only of these kinds: manifests")
    .option("--by <user>", "only what this one asked for")
    .option("--limit <number>", "how many at most", parseLimit, 50)
    .action((options: ListOptions, command: Command) => listRuns(open(command), options));
}

async function listRuns(context: CommandContext, options: ListOptions): Promise<void> {
  const { output, signal } = context;
  const { cluster, state, kind, by: requester, limit } = options;
  const query = { cluster: cluster?.join(","), state, kind, requester };
  const items = await readNewest(await context.hub(), query, { limit, signal });
  output.answer({ items }, () =>
    items.length === 0
      ? ""
      : output.table(
          runHeading,
          items.map((run) => toRow(context, run)),
        ),
  );
  if (items.length === 0) output.remark("No runs.");
  if (items.some(({ state }) => state === "awaiting-approval"))
    output.remark(
      "Some wait for approval: see one by 'fairlead run show RUN', and answer by 'fairlead run approve RUN'.",
    );
}

async function readNewest(
  hub: Pick<HubClient, "listCommands">,
  query: CommandListQuery,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<Run[]> {
  const items: Run[] = [];
  let cursor: string | undefined;
  do {
    const wanted = Math.min(limit - items.length, mostOnPage);
    const page = await hub.listCommands({ ...query, cursor, limit: wanted }, { signal });
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined && items.length < limit);
  return items;
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw usage(`'${text}' isn't a number of runs.`);
  return limit;
}

const mostOnPage = 500;
