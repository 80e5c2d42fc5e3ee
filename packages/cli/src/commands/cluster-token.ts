import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { describeJoin, type JoinOptions, joinOptions, placeToken } from "./join.ts";

export function addClusterToken(cluster: Command, open: OpenContext): void {
  const token = cluster
    .command("token")
    .description("Manage join tokens")
    .command("create")
    .formerly("cluster token")
    .description("Create a join token for a registered cluster")
    .examples("fairlead cluster token create east --token-out ./east.join-token")
    .argument("<name>", "Name of the cluster")
    .action((name: string, options: JoinOptions, command: Command) => createToken(open(command), name, options));
  for (const option of joinOptions()) token.addOption(option);
}

async function createToken(context: CommandContext, name: string, options: JoinOptions): Promise<void> {
  const { hub, output, signal } = context;
  const made = await (await hub()).createJoinToken(name, { roles: options.role, tokenTtlMs: options.ttl }, { signal });
  const join = await placeToken(made, { cluster: name, tokenOut: options.tokenOut });

  output.answer(join, () => describeJoin(context, join));
}
