import type { Command as Run } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { collectText } from "../collect.ts";
import { limitOf } from "../limit.ts";
import { readPages } from "../read-pages.ts";
import { watchList } from "../watch-list.ts";
import { runHeading, toRow } from "./run-text.ts";

interface ListOptions {
  readonly cluster?: readonly string[];
  readonly state?: string;
  readonly kind?: string;
  readonly user?: string;
  readonly limit: number;
  readonly watch?: boolean;
}

export function addRunList(run: Command, open: OpenContext): void {
  run
    .command("list")
    .prints("run")
    .formerly("runs")
    .description("List runs, newest first")
    .examples("fairlead run list --state failed --cluster east", "fairlead run list --watch")
    .option("--cluster <cluster>", "Only runs in this cluster; can be repeated", collectText)
    .option(
      "--state <states>",
      "Only runs in these states: queued, claimed, resolving, running, succeeded, failed, cancelled, refused, expired or lost, separated by commas",
    )
    .option("--kind <kinds>", "Only runs of these kinds, for example manifests,helm")
    .formerOption("--by <user>", "--user")
    .option("--user <user>", "Only entries of this user")
    .option("--limit <number>", "Maximum number of entries", limitOf("runs"), 50)
    .option("-w, --watch", "Print runs again as they change, until Ctrl-C")
    .action((options: ListOptions, command: Command) => listRuns(open(command), options));
}

async function listRuns(context: CommandContext, options: ListOptions): Promise<void> {
  const { output, signal } = context;
  const { cluster, state, kind, user: requester, limit } = options;
  const query = { cluster: cluster?.join(","), state, kind, requester };
  const hub = await context.hub();
  const read = (): Promise<Run[]> =>
    readPages((page) => hub.listCommands({ ...query, ...page }, { signal }), { limit, mostOnPage });
  if (options.watch) {
    return watchList<Run>(context, {
      heading: runHeading(output),
      // The newest is printed last.
      read: async () => (await read()).toReversed(),
      keyOf: ({ id }) => id,
      markOf: ({ logBytes: _, ...run }) => run,
      toRow: (run) => toRow(context, run),
    });
  }
  const items = await read();
  output.answer({ items }, () =>
    items.length === 0
      ? ""
      : output.table(
          runHeading(output),
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
