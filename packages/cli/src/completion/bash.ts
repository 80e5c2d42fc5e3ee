import type { CommandNode } from "./command-tree.ts";
import { type CompletedName, namesCommand, namesCommandName } from "./names-command.ts";

export function bashCompletion(tree: readonly CommandNode[]): string {
  const steps = tree.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  return `# bash completion for fairlead; load it with: source <(fairlead completion bash)
_fairlead() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local at="" words="" names="" next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${at:+$at }\${COMP_WORDS[i]}"
    case "$next" in
      ${steps.join("|")}) at="$next" ;;
    esac
  done
  COMPREPLY=()
  case "$at:$previous" in
${tree.flatMap(valueCases).join("\n")}
  esac
  case "$at" in
${tree.map(wordCase).join("\n")}
  esac
  if [[ -n $names && $current != -* ]]; then
    words="$words $(fairlead ${namesCommandName} "$names" -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)"
  fi
  [[ $current == -* ]] || words="$(printf '%s\\n' $words | grep -v '^-')"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _fairlead fairlead
`;
}

/** An option that was just typed and wants a value. */
function valueCases(node: CommandNode): string[] {
  return node.options
    .filter(({ value }) => value.type !== "none")
    .map(({ flags, value, choices }) => {
      const pattern = flags.map((flag) => `"${node.path}:${flag}"`).join("|");
      switch (value.type) {
        case "file":
          return `    ${pattern}) compopt -o default 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")); return ;;`;
        case "choice":
          return `    ${pattern}) COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$current")); return ;;`;
        case "name":
          return `    ${pattern}) COMPREPLY=($(compgen -W "$(${askFor(value.name)})" -- "$current")); return ;;`;
        case "text":
        case "none":
          return `    ${pattern}) return ;;`;
        default:
          return value satisfies never;
      }
    });
}

function wordCase(node: CommandNode): string {
  const words = [
    ...node.commands.map(({ name }) => name),
    ...node.choices,
    ...node.options.flatMap(({ flags }) => flags),
  ];
  return `    "${node.path}") words="${words.join(" ")}"${node.operand === undefined ? "" : ` names=${node.operand}`} ;;`;
}

function askFor(name: CompletedName): string {
  return namesCommand(name, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`);
}
