import { Argument } from "commander";
import type { Command } from "../command.ts";
import {
  bashCompletion,
  type CommandNode,
  fishCompletion,
  powershellCompletion,
  readCommandTree,
  zshCompletion,
} from "../completion/index.ts";
import type { OpenContext } from "../context.ts";

type Shell = "bash" | "zsh" | "fish" | "powershell";

const writers: Readonly<Record<Shell, (tree: readonly CommandNode[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
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
}
