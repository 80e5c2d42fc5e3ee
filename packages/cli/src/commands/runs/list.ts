import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { collectText } from "../collect.ts";
import { limitOf } from "../limit.ts";
import { readPages } from "../read-pages.ts";
import { runHeading, toRow } from "./run-text.ts";

interface ListOptions {
  readonly cluster?: readonly string[];
  readonly state?: string;
  readonly kind?: string;
  readonly user?: string;
  readonly limit: number;
}

export function addRunList(run: Command, open: OpenContext): void {
  run
    .command("list")
    .formerly("runs")
    .description("List runs, newest first")
    .examples("fairlead run list --state failed --cluster east")
    .option("--cluster <cluster>", "Only runs in this cluster; can be repeated", collectText)
    .option(
      "--state <states>",
      "Only runs in these states: queued, claimed, resolving, running, succeeded, failed, cancelled, refused, expired or lost, separated by commas",
    )
    .option("--kind <kinds>", "Only runs of these kinds, for example manifests,helm")
    .formerOption("--by <user>", "--user")
    .option("--user <user>", "Only entries of this user")
    .option("--limit <number>", "Maximum number of entries", limitOf("runs"), 50)
    .action((options: ListOptions, command: Command) => listRuns(open(command), options));
}

async function listRuns(context: CommandContext, options: ListOptions): Promise<void> {
  const { output, signal } = context;
  const { cluster, state, kind, user: requester, limit } = options;
  const query = { cluster: cluster?.join(","), state, kind, requester };
  const hub = await context.hub();
  const items = await readPages((page) => hub.listCommands({ ...query, ...page }, { signal }), { limit, mostOnPage });
  output.answer({ items }, () =>
    items.length === 0
      ? ""
      : output.table(
          runHeading,
          items.map((run) => toRow(context, run)),
        ),
  );
  if (items.length === 0) output.remark("No runs.");
  if (items.some(({ state }) => state === "awaiting-approval" || state === "awaiting-plan-approval"))
    output.remark(
      "Some wait for approval: see one by 'fairlead run get RUN', and answer by 'fairlead run approve RUN'.",
    );
}

const mostOnPage = 500;
