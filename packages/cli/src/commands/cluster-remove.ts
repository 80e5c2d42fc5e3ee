import type { Command } from "commander";
import type { CommandContext, OpenContext } from "../context.ts";
import { cancelled, confirmationNeeded } from "../errors.ts";
import { ask, canAsk } from "../terminal.ts";

interface RemoveOptions {
  readonly yes?: boolean;
}

export function addClusterRemove(cluster: Command, open: OpenContext): void {
  cluster
    .command("remove")
    .alias("rm")
    .description("forget a cluster and cut its agents off")
    .argument("<name>", "the cluster")
    .option("-y, --yes", "don't ask")
    .action((name: string, options: RemoveOptions, command: Command) => removeCluster(open(command), name, options));
}

async function removeCluster(context: CommandContext, name: string, options: RemoveOptions): Promise<void> {
  const { hub, output, signal } = context;
  const client = await hub();
  if (options.yes !== true) await confirm(context, name);
  await client.removeCluster(name, { signal });

  output.answer({ name, removed: true }, () => `Cluster '${name}' is removed.\n`);
}

async function confirm({ terminal }: CommandContext, name: string): Promise<void> {
  if (!canAsk(terminal)) throw confirmationNeeded(`remove cluster '${name}'`);
  const answer = await ask(terminal, `Remove cluster '${name}' and cut its agents off? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw cancelled();
}
