// The shells' scripts are made from the program's own commands and options, so that they can't fall behind.
import type { Option } from "commander";
import type { Command } from "../command.ts";
import { type CompletedName, completedNames } from "./names-command.ts";

export interface CommandNode {
  /** Words after `fairlead`, such as `cluster add`; empty for the program itself. */
  readonly path: string;
  readonly description: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionNode[];
  /** Words that an operand can be, such as the shells of `completion`. */
  readonly choices: readonly string[];
  /** Whose names an operand can be. */
  readonly operand: CompletedName | undefined;
}

export interface OptionNode {
  readonly flags: readonly string[];
  readonly description: string;
  readonly value: OptionValue;
  readonly choices: readonly string[];
}

export type OptionValue =
  | { readonly type: "none" | "file" | "choice" | "text" }
  | { readonly type: "name"; readonly name: CompletedName };

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
    operand: operandOf(path, command),
  };
  return [node, ...commands.flatMap((child) => collect(child, `${path} ${child.name()}`.trim(), inherited))];
}

/** Whose names the operands of a command are. A new thing's name can't be completed. */
export function operandOf(path: string, command: Command): CompletedName | undefined {
  if (newNames.has(path)) return undefined;
  const [argument] = command.registeredArguments;
  if (!argument) return undefined;
  const name = argument.name();
  if (name === "kind" || name === "kinds") return path === "get" || path === "describe" ? "object" : undefined;
  // `cluster get <name>`, `stack get <name>`; `kubeconfig [names...]` is about clusters.
  const noun = /^names?$/.test(name) ? (path === "kubeconfig" ? "cluster" : path.split(" ", 1)[0]) : name;
  return completedNames.find((known) => known === noun);
}

const newNames: ReadonlySet<string> = new Set(["cluster add", "access robot create"]);

function describeOption(option: Option): OptionNode {
  const takesValue = option.required || option.optional;
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    description: option.description,
    value: takesValue ? readValue(option) : { type: "none" },
    choices: option.argChoices ?? [],
  };
}

function readValue({ flags, argChoices = [] }: Option): OptionValue {
  if (/[<[]file[>\]]/.test(flags)) return { type: "file" };
  if (argChoices.length > 0) return { type: "choice" };
  const name = nameIn({ flags });
  return name === undefined ? { type: "text" } : { type: "name", name };
}

/** Whose names an option's values are. */
export function nameIn({ flags }: Pick<Option, "flags">): CompletedName | undefined {
  const [, placeholder = ""] = /<([a-z]+)>/.exec(flags) ?? [];
  return completedNames.find((known) => known === placeholder && !noNames.has(known));
}

/** As values of options these are words of other kinds, too. */
const noNames: ReadonlySet<CompletedName> = new Set(["kind", "object", "application"]);
