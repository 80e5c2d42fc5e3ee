import type { CommandNode, OptionNode } from "./command-tree.ts";
import { type CompletedName, namesCommand } from "./names-command.ts";

export function fishCompletion(tree: readonly CommandNode[]): string {
  const steps = tree.filter(({ path }) => path !== "").map(({ path }) => quote(path));
  return `# fish completion for fairlead; load it with: fairlead completion fish | source
function __fairlead_at
  set -l at
  for word in (commandline -opc)[2..-1]
    set -l next (string join ' ' $at $word)
    if contains -- $next ${steps.join(" ")}
      set at $next
    end
  end
  test "$at" = "$argv[1]"
end
complete -c fairlead -f
${tree.flatMap(linesOf).join("\n")}
`;
}

function linesOf(node: CommandNode): string[] {
  const here = `complete -c fairlead -n ${quote(`__fairlead_at ${quote(node.path)}`)}`;
  return [
    ...node.commands.map(({ name, description }) => `${here} -a ${quote(name)} -d ${quote(description)}`),
    ...node.choices.map((choice) => `${here} -a ${quote(choice)}`),
    ...(node.operand === undefined ? [] : [`${here} -a ${quote(`(${askFor(node.operand)})`)}`]),
    ...node.options.map(
      (option) => `${here} ${nameFlags(option)}${valueFlags(option)} -d ${quote(option.description)}`,
    ),
  ];
}

function nameFlags({ flags }: OptionNode): string {
  return flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(" ");
}

function valueFlags({ value, choices }: OptionNode): string {
  switch (value.type) {
    case "file":
      return " -r -F";
    case "choice":
      return ` -x -a ${quote(choices.join(" "))}`;
    case "name":
      return ` -x -a ${quote(`(${askFor(value.name)})`)}`;
    case "text":
      return " -x";
    case "none":
      return "";
    default:
      return value satisfies never;
  }
}

function askFor(name: CompletedName): string {
  return namesCommand(name, "(commandline -opc)[2..-1]");
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
