// The shells' scripts are made from the program's own commands and options, so that they can't fall behind.
import type { Option } from "commander";
import type { Command } from "../command.ts";

export interface CommandNode {
  /** Words after `fairlead`, such as `cluster add`; empty for the program itself. */
  readonly path: string;
  readonly description: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionNode[];
  /** Words that an operand can be, such as the shells of `completion`. */
  readonly choices: readonly string[];
  readonly takesCluster: boolean;
}

export interface OptionNode {
  readonly flags: readonly string[];
  readonly description: string;
  readonly value: "none" | "file" | "choice" | "cluster" | "text";
  readonly choices: readonly string[];
}

export function readCommandTree(program: Command): readonly CommandNode[] {
  return collect(program, "", program.options);
}

function collect(command: Command, path: string, inherited: readonly Option[]): CommandNode[] {
  const help = command.createHelp();
  const visible = new Set<unknown>(help.visibleCommands(command));
  const commands = command.children.filter((child) => visible.has(child));
  const options = path === "" ? help.visibleOptions(command) : [...help.visibleOptions(command), ...inherited];
  const node: CommandNode = {
    path,
    description: command.description(),
    commands: commands.map((child) => ({ name: child.name(), description: child.description() })),
    options: options.filter((option) => !option.hidden).map(describeOption),
    choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    // A new cluster's name can't be completed.
    takesCluster:
      path !== "cluster add" && command.registeredArguments.some((argument) => /^names?$/.test(argument.name())),
  };
  return [node, ...commands.flatMap((child) => collect(child, `${path} ${child.name()}`.trim(), inherited))];
}

function describeOption(option: Option): OptionNode {
  const takesValue = option.required || option.optional;
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    description: option.description,
    value: takesValue ? kindOf(option) : "none",
    choices: option.argChoices ?? [],
  };
}

function kindOf({ flags, argChoices = [] }: Option): "file" | "choice" | "cluster" | "text" {
  if (/[<[]file[>\]]/.test(flags)) return "file";
  if (flags.includes("<cluster>")) return "cluster";
  return argChoices.length > 0 ? "choice" : "text";
}
