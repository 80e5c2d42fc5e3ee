import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { confirm } from "./confirm.ts";

interface ConfirmOptions {
  readonly yes?: boolean;
}

export function addClusterConfirm(cluster: Command, open: OpenContext): void {
  cluster
    .command("confirm")
    .description("Accept a different cluster under this name (its UID changed)")
    .examples("fairlead cluster confirm east")
    .argument("<name>", "Name of the cluster")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((name: string, options: ConfirmOptions, command: Command) => confirmCluster(open(command), name, options));
}

async function confirmCluster(context: CommandContext, name: string, options: ConfirmOptions): Promise<void> {
  const { output, signal, terminal } = context;
  const client = await context.hub();
  const { replacementUid, kubeSystemUid } = await client.getInventory(name, { signal });
  if (replacementUid === undefined) throw cliErrors.CLI_REPLACEMENT_MISSING({ cluster: name });
  output.remark(`kube-system was ${output.safe(kubeSystemUid)} and is ${output.safe(replacementUid)}.`);
  await confirm(terminal, {
    isYes: options.yes,
    action: `take another cluster for '${name}'`,
    question: `Take this cluster for '${output.safe(name)}', and forget the objects of the one before?`,
  });
  // By its UID: if a third one has come meanwhile, the hub says no.
  const inventory = await client.confirmCluster(name, { kubeSystemUid: replacementUid }, { signal });
  output.answer(inventory, () => `'${output.safe(name)}' now means the cluster ${output.safe(replacementUid)}.\n`);
}
