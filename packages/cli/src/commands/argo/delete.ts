import type { ApplicationName } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { confirm } from "../confirm.ts";
import { applicationArgument, applicationDescription, parseApplication } from "./application-name.ts";

export function addApplicationDelete(app: Command, open: OpenContext): void {
  app
    .command("delete")
    .description("Delete an application of a managed cluster; its finalizer deletes what it deployed")
    .examples("fairlead argo app delete east/shop")
    .argument(applicationArgument, applicationDescription, parseApplication)
    .option("-y, --yes", "Don't ask for confirmation")
    .action((of: ApplicationName, { yes }: { readonly yes?: boolean }, command: Command) =>
      deleteApplication(open(command), of, yes),
    );
}

async function deleteApplication(
  { hub, output, terminal, signal }: CommandContext,
  of: ApplicationName,
  isYes: boolean | undefined,
): Promise<void> {
  const { cluster, name } = of;
  await confirm(terminal, {
    isYes,
    action: `remove ${name}`,
    question: `Remove the application ${name} from ${cluster}?`,
  });
  await (await hub()).removeApplication(of, { signal });
  output.answer({ removed: of }, () => `${output.safe(name)} is removed from ${output.safe(cluster)}.\n`);
}
