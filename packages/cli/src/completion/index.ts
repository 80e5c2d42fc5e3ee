export { bashCompletion } from "./bash.ts";
export { type CommandNode, nameIn, operandOf, readCommandTree } from "./command-tree.ts";
export { fishCompletion } from "./fish.ts";
export { type CompletedName, completedNames, namesCommandName } from "./names-command.ts";
export { powershellCompletion } from "./powershell.ts";
export { zshCompletion } from "./zsh.ts";
