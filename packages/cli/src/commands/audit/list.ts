import type { AuditQuery, HubClient } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { limitOf } from "../limit.ts";
import { readPages } from "../read-pages.ts";
import { addFilters, type FilterOptions, toQuery } from "./filters.ts";
import { followRecords } from "./follow.ts";
import { describeRecord, recordHeading, toLine } from "./record-text.ts";

interface ListOptions extends FilterOptions {
  readonly verb?: string;
  readonly limit: number;
  readonly watch?: boolean;
}

export function addAuditList(audit: Command, open: OpenContext): void {
  addFilters(
    audit
      .command("list")
      .prints("record", ({ chain, seq }) => (chain === undefined ? String(seq) : `${chain}/${seq}`))
      .description("List audit records, oldest first")
      .examples("fairlead audit list --cluster east --since 2h --verb delete", "fairlead audit list --watch --json"),
  )
    .option("--verb <verb>", "Only entries with this verb")
    .option("--limit <number>", "Maximum number of entries, counted from the newest", limitOf("records"), 100)
    .formerOption("-f, --follow", "--watch")
    .option("-w, --watch", "Print records as they are written, until Ctrl-C; earlier ones only with --since")
    .action((options: ListOptions, command: Command) => list(open(command), options));
}

async function list(context: CommandContext, options: ListOptions): Promise<void> {
  const { output, signal, terminal } = context;
  const query: AuditQuery = { ...toQuery(options, terminal.now()), verb: options.verb };
  const client = await context.hub();
  if (options.watch) return follow(context, client, query);

  const newestFirst = await readPages((page) => client.listAudit({ ...query, ...page }, { signal }), {
    limit: options.limit,
    mostOnPage: maxPage,
  });
  const items = newestFirst.toReversed();
  output.answer({ items }, () =>
    items.length === 0
      ? ""
      : output.table(
          recordHeading,
          items.map((record) => describeRecord(output, record)),
        ),
  );
  if (items.length === 0) output.remark("No records.");
}

const maxPage = 1_000;

/** Prints one record a line, and JSON too: there is no end to wait for. */
async function follow({ output, signal }: CommandContext, client: HubClient, query: AuditQuery): Promise<void> {
  const remark = (text: string): void => output.remark(text);
  if (!output.isDocument) output.print(output.colors.dim(toLine(recordHeading).trimEnd()).concat("\n"));
  for await (const record of followRecords({ client, query, signal, remark })) {
    if (output.isDocument) output.printDocument(record);
    else output.print(toLine(describeRecord(output, record)));
  }
}
