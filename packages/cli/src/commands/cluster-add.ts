import type { Labels } from "@fairlead/contract";
import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { collectLabel } from "./collect.ts";
import { describeJoin, type JoinOptions, joinOptions, placeToken } from "./join.ts";

interface AddOptions extends JoinOptions {
  readonly label?: Labels;
}

export function addClusterAdd(cluster: Command, open: OpenContext): void {
  const add = cluster
    .command("add")
    .description("Register a cluster, and print the join token for its agent")
    .examples("fairlead cluster add east --label env=prod --role proxy --role observe --token-out ./east.join-token")
    .argument("<name>", "Name of the new cluster: lower-case letters, digits and '-'")
    .option("--label <key=value>", "Label of the cluster, for example env=prod; can be repeated", collectLabel)
    .action((name: string, options: AddOptions, command: Command) => addCluster(open(command), name, options));
  for (const option of joinOptions()) add.addOption(option);
}

async function addCluster(context: CommandContext, name: string, options: AddOptions): Promise<void> {
  const { hub, output, signal } = context;
  const request = { name, labels: options.label, roles: options.role, tokenTtlMs: options.ttl };
  const created = await (await hub()).createCluster(request, { signal });
  const join = await placeToken(created.join, { cluster: name, tokenOut: options.tokenOut });

  output.answer(
    { cluster: created.cluster, join },
    () => `Cluster '${output.safe(created.cluster.name)}' is registered.\n\n${describeJoin(context, join)}`,
  );
}
