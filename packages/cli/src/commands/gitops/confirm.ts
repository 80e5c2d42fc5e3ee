import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { cliErrors } from "../../errors.ts";
import { confirm } from "../confirm.ts";
import { describeDeletions } from "./status-text.ts";

export function addGitopsConfirm(gitops: Command, open: OpenContext): void {
  gitops
    .command("confirm")
    .description("Confirm a mass deletion of a cluster's applications that is on hold")
    .examples("fairlead gitops confirm east")
    .argument("<cluster>", "Name of the cluster")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((cluster: string, { yes }: { readonly yes?: boolean }, command: Command) =>
      confirmDeletions(open(command), cluster, yes),
    );
}

async function confirmDeletions(context: CommandContext, cluster: string, isYes: boolean | undefined): Promise<void> {
  const { output, signal, terminal } = context;
  const hub = await context.hub();
  const { guard } = await hub.getGitopsStatus(cluster, { signal });
  if (guard === undefined) throw cliErrors.CLI_DELETIONS_NONE({ cluster });
  const { count, digest } = guard;
  output.remark(describeDeletions(context, guard));
  await confirm(terminal, {
    isYes,
    action: `delete ${count} applications of '${cluster}'`,
    question: `Delete these ${count} applications in '${output.safe(cluster)}'?`,
  });
  // Those that were shown: if others have come to wait meanwhile, the hub says no.
  const confirmed = await hub.confirmDeletions(cluster, { count, digest }, { signal });
  output.answer(confirmed, () => `${count} applications are deleted in '${output.safe(cluster)}'.\n`);
}
