import type { Recording } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatSpan } from "../../output/index.ts";
import { addFilters, type FilterOptions, toQuery } from "./filters.ts";

export function addRecordings(recording: Command, open: OpenContext): void {
  addFilters(
    recording
      .command("list")
      .prints("recording", ({ requestId }) => String(requestId))
      .formerly("audit recordings")
      .description("List recorded exec and attach sessions, newest first")
      .examples("fairlead audit recording list --user alice@example.com --since 7d"),
  ).action((options: FilterOptions, command: Command) => listRecordings(open(command), options));
}

async function listRecordings(context: CommandContext, options: FilterOptions): Promise<void> {
  const { hub, output, signal, terminal } = context;
  const { items } = await (await hub()).listRecordings(
    { ...toQuery(options, terminal.now()), limit: 1_000 },
    { signal },
  );
  output.answer({ items }, () =>
    items.length === 0
      ? ""
      : output.table(
          ["REQUEST", "TIME", "WHO", "CLUSTER", "POD", "KIND", "STATE", "TOOK"],
          items.map((item) => describe(context, item)),
        ),
  );
  if (items.length === 0) output.remark("No recordings. 'fairlead access binding create --record' makes them.");
}

function describe({ output }: CommandContext, item: Recording): string[] {
  return [
    output.safe(item.requestId),
    item.at.replace(/\.\d+Z$/, "Z"),
    output.safe(item.user),
    output.safe(item.cluster),
    output.safe(`${item.namespace}/${item.pod}${item.container === undefined ? "" : ` (${item.container})`}`),
    item.kind,
    item.state,
    item.durationMs === undefined ? "-" : formatSpan(item.durationMs),
  ];
}
