// Commands that ask a cluster's Argo CD to sync or refresh an application, or to end a sync. It begins as soon as the
// cluster has heard of it.
import type { ApplicationName, RefreshApplicationRequest, SyncApplicationRequest } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { applicationArgument, applicationDescription, parseApplication } from "./application-name.ts";

export function addApplicationSync(app: Command, open: OpenContext): void {
  app
    .command("sync")
    .description("have the cluster's Argo CD sync an application")
    .argument(applicationArgument, applicationDescription, parseApplication)
    .option("--revision <revision>", "of the source, instead of what the spec says")
    .option("--prune", "remove what the source has no more")
    .option("--dry-run", "say what it would do, and change nothing")
    .action((of: ApplicationName, options: SyncApplicationRequest, command: Command) =>
      syncApplication(open(command), of, options),
    );
}

export function addApplicationRefresh(app: Command, open: OpenContext): void {
  app
    .command("refresh")
    .description("have the cluster's Argo CD compare an application with its source")
    .argument(applicationArgument, applicationDescription, parseApplication)
    .option("--hard", "without the manifests that it keeps")
    .action((of: ApplicationName, options: RefreshApplicationRequest, command: Command) =>
      refreshApplication(open(command), of, options),
    );
}

export function addApplicationTerminate(app: Command, open: OpenContext): void {
  app
    .command("terminate")
    .description("end the sync of an application that is under way")
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
