import type { ApplicationDetail, ApplicationName } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { applicationArgument, applicationDescription, applicationName, parseApplication } from "./application-name.ts";
import { describeApplication } from "./describe-application.ts";

export function addApplicationGet(app: Command, open: OpenContext): void {
  app
    .command("get")
    .prints("application", applicationName)
    .description("Show an application with its source, resources and status")
    .examples("fairlead argo app get east/shop")
    .argument(applicationArgument, applicationDescription, parseApplication)
    .action((of: ApplicationName, _options: object, command: Command) => getApplication(open(command), of));
}

async function getApplication({ hub, output, signal }: CommandContext, of: ApplicationName): Promise<void> {
  const application: ApplicationDetail = await (await hub()).getApplication(of, { signal });
  output.answer(application, () => describeApplication(output, application));
}
