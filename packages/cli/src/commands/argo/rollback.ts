import type { ApplicationName } from "@fairlead/contract";
import { InvalidArgumentError } from "commander";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { applicationArgument, applicationDescription, parseApplication } from "./application-name.ts";

export function addApplicationRollback(app: Command, open: OpenContext): void {
  app
    .command("rollback")
    .description("Sync an application to an entry of its history")
    .examples("fairlead argo app rollback east/shop 7")
    .argument(applicationArgument, applicationDescription, parseApplication)
    .argument("<id>", "ID of the entry, as 'history' lists it", parseId)
    .option("--prune", "Delete resources that the entry didn't have")
    .action((of: ApplicationName, id: number, { prune }: { readonly prune?: boolean }, command: Command) =>
      rollBack(open(command), of, { id, prune }),
    );
}

async function rollBack(
  { hub, output, signal }: CommandContext,
  of: ApplicationName,
  asked: { readonly id: number; readonly prune: boolean | undefined },
): Promise<void> {
  const application = await (await hub()).rollbackApplication(of, asked, { signal });
  output.answer(application, () => `A rollback of ${output.safe(of.name)} to ${asked.id} is asked for.\n`);
}

/** Argo CD counts from 0. */
function parseId(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It has to be the number of an entry.");
  return Number(text);
}
