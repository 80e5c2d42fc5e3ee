import type { ApplicationName } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatSpan } from "../../output/index.ts";
import { applicationArgument, applicationDescription, parseApplication } from "./application-name.ts";

export function addApplicationHistory(app: Command, open: OpenContext): void {
  app
    .command("history")
    .description("List an application's deployment history, newest first")
    .examples("fairlead argo app history east/shop")
    .argument(applicationArgument, applicationDescription, parseApplication)
    .action((of: ApplicationName, _options: object, command: Command) => showHistory(open(command), of));
}

async function showHistory({ hub, output, terminal, signal }: CommandContext, of: ApplicationName): Promise<void> {
  const history = await (await hub()).getApplicationHistory(of, { signal });
  const rows = history.items.map(({ id, revision, deployedAt }) => [
    String(id),
    output.safe(revision),
    deployedAt === undefined ? "-" : formatSpan(terminal.now() - Date.parse(deployedAt)),
  ]);
  output.answer(history, () => (rows.length === 0 ? "" : output.table(["ID", "REVISION", "AGE"], rows)));
  if (rows.length === 0) output.remark("Nothing was deployed yet.");
}
