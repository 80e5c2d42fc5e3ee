import type { GitopsStatus } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { readPages } from "../read-pages.ts";
import { describeStatus, statusHeading, toStatusRow } from "./status-text.ts";

export function addGitopsStatus(gitops: Command, open: OpenContext): void {
  gitops
    .command("status")
    .description("Show the state of the exchange of applications")
    .examples("fairlead gitops status", "fairlead gitops status east")
    .argument("[cluster]", "Name of the cluster")
    .action((cluster: string | undefined, _options: object, command: Command) =>
      cluster === undefined ? listStatus(open(command)) : showStatus(open(command), cluster),
    );
}

async function listStatus(context: CommandContext): Promise<void> {
  const { hub: connect, output, signal } = context;
  const hub = await connect();
  const items = await readPages<GitopsStatus>((page) => hub.listGitopsStatus(page, { signal }), {
    limit: Number.MAX_SAFE_INTEGER,
    mostOnPage: 100,
  });
  const toRow = (status: GitopsStatus): string[] => toStatusRow(context, status);
  output.answer({ items }, () => (items.length === 0 ? "" : output.table(statusHeading, items.map(toRow))));
  if (items.length === 0) output.remark("No cluster exchanges applications with the hub.");
  for (const { cluster, guard } of items) if (guard) output.remark(toHint(output.safe(cluster), guard.count));
}

async function showStatus(context: CommandContext, cluster: string): Promise<void> {
  const { hub, output, signal } = context;
  const status = await (await hub()).getGitopsStatus(cluster, { signal });
  output.answer(status, () => describeStatus(context, status));
  if (status.guard) output.remark(toHint(output.safe(cluster), status.guard.count));
}

function toHint(cluster: string, count: number): string {
  return `${count} applications of ${cluster} wait to be deleted: fairlead gitops confirm ${cluster}`;
}
