import type { CommandNode, OptionNode } from "./command-tree.ts";
import { type CompletedName, namesCommand } from "./names-command.ts";

export function zshCompletion(tree: readonly CommandNode[]): string {
  const steps = tree.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  return `#compdef fairlead
# zsh completion for fairlead; load it with: source <(fairlead completion zsh)
_fairlead() {
  local at="" next i current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}"
  local -a entries flags
  for ((i = 2; i < CURRENT; i++)); do
    next="\${at:+$at }\${words[i]}"
    case "$next" in
      ${steps.join("|")}) at="$next" ;;
    esac
  done
  case "$at:$previous" in
${tree.flatMap(valueCases).join("\n")}
  esac
  case "$at" in
${tree.map(nodeCase).join("\n")}
  esac
  if [[ $current == -* ]]; then
    _describe -o option flags
  else
    _describe command entries
  fi
}
compdef _fairlead fairlead
`;
}

function valueCases(node: CommandNode): string[] {
  return node.options
    .filter(({ value }) => value.type !== "none")
    .map((option) => `    ${patternOf(node, option)}) ${valueAction(option)}return ;;`);
}

function patternOf(node: CommandNode, { flags }: OptionNode): string {
  return flags.map((flag) => `"${node.path}:${flag}"`).join("|");
}

function valueAction({ value, choices }: OptionNode): string {
  switch (value.type) {
    case "file":
      return "_files; ";
    case "choice":
      return `compadd -- ${choices.join(" ")}; `;
    case "name":
      return `compadd -- ${namesOf(value.name)}; `;
    case "text":
    case "none":
      return "";
    default:
      return value satisfies never;
  }
}

function namesOf(name: CompletedName): string {
  return `\${(f)"$(${namesCommand(name, `"\${(@)words[2,CURRENT-1]}"`)})"}`;
}

function nodeCase(node: CommandNode): string {
  const entries = [
    ...node.commands.map(({ name, description }) => quoteEntry(name, description)),
    ...node.choices.map((choice) => quoteEntry(choice, "")),
    ...(node.operand === undefined ? [] : [namesOf(node.operand)]),
  ];
  const flags = node.options.flatMap((option) => option.flags.map((flag) => quoteEntry(flag, option.description)));
  return `    "${node.path}") entries=(${entries.join(" ")}); flags=(${flags.join(" ")}) ;;`;
}

/** \`name:what it does\` in single quotes; a colon in the name would end it. */
function quoteEntry(name: string, description: string): string {
  const text = description === "" ? name : `${name}:${description}`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
