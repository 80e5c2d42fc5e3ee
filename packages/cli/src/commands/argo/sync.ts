// Commands that ask a cluster's Argo CD to sync or refresh an application, or to end a sync. It begins as soon as the
// cluster has heard of it.
import type { ApplicationName, RefreshApplicationRequest, SyncApplicationRequest } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { applicationArgument, applicationDescription, parseApplication } from "./application-name.ts";

export function addApplicationSync(app: Command, open: OpenContext): void {
  app
    .command("sync")
    .description("Sync an application")
    .examples("fairlead argo app sync east/shop --prune")
    .argument(applicationArgument, applicationDescription, parseApplication)
    .option("--revision <revision>", "Revision to sync to, instead of the one in the spec")
    .option("--prune", "Delete resources that the source no longer has")
    .option("--dry-run", "Print what would change without changing it")
    .action((of: ApplicationName, options: SyncApplicationRequest, command: Command) =>
      syncApplication(open(command), of, options),
    );
}

export function addApplicationRefresh(app: Command, open: OpenContext): void {
  app
    .command("refresh")
    .description("Compare an application with its source again")
    .examples("fairlead argo app refresh east/shop --hard")
    .argument(applicationArgument, applicationDescription, parseApplication)
    .option("--hard", "Ignore cached manifests")
    .action((of: ApplicationName, options: RefreshApplicationRequest, command: Command) =>
      refreshApplication(open(command), of, options),
    );
}

export function addApplicationTerminate(app: Command, open: OpenContext): void {
  app
    .command("terminate")
    .description("Terminate an application's sync in progress")
    .examples("fairlead argo app terminate east/shop")
    .argument(applicationArgument, applicationDescription, parseApplication)
    .action((of: ApplicationName, _options: object, command: Command) => terminateApplication(open(command), of));
}

async function syncApplication(
  { hub, output, signal }: CommandContext,
  of: ApplicationName,
  asked: SyncApplicationRequest,
): Promise<void> {
  const application = await (await hub()).syncApplication(of, asked, { signal });
  output.answer(application, () => `A sync of ${output.safe(of.name)} is asked for.\n`);
}

async function refreshApplication(
  { hub, output, signal }: CommandContext,
  of: ApplicationName,
  asked: RefreshApplicationRequest,
): Promise<void> {
  const application = await (await hub()).refreshApplication(of, asked, { signal });
  output.answer(application, () => `A refresh of ${output.safe(of.name)} is asked for.\n`);
}

async function terminateApplication({ hub, output, signal }: CommandContext, of: ApplicationName): Promise<void> {
  const application = await (await hub()).terminateApplication(of, { signal });
  output.answer(application, () => `The operation on ${output.safe(of.name)} is asked to end.\n`);
}
