import { isDnsLabel } from "@fairlead/kernel";
import { Argument } from "commander";
import type { Command } from "../command.ts";
import {
  bashCompletion,
  type CommandNode,
  clustersCommandName,
  fishCompletion,
  readCommandTree,
  zshCompletion,
} from "../completion/index.ts";
import type { CommandContext, OpenContext } from "../context.ts";

type Shell = "bash" | "zsh" | "fish";

const writers: Readonly<Record<Shell, (tree: readonly CommandNode[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export function addCompletion(program: Command, open: OpenContext): void {
  program
    .command("completion")
    .description("Print a completion script for a shell")
    .examples("source <(fairlead completion bash)")
    .addArgument(new Argument("<shell>", "Name of the shell").choices(Object.keys(writers)))
    .action((shell: Shell, _options: object, command: Command) => {
      const script = writers[shell](readCommandTree(program));
      open(command).output.answer({ shell, script }, () => script);
    });
  program
    .command(clustersCommandName, { hidden: true })
    .action((_options: object, command: Command) => printClusters(open(command)));
}

async function printClusters({ hub, signal, output }: CommandContext): Promise<void> {
  // Half a second is what a person waits for a completion.
  const soon = AbortSignal.any([signal, AbortSignal.timeout(500)]);
  const { items } = await (await hub()).listClusters({ signal: soon });
  // Shells expand the words that they complete with: a hub's answer must not hold commands.
  output.print(items.map(({ name }) => (isDnsLabel(name) ? `${name}\n` : "")).join(""));
}
