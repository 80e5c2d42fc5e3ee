export { bashCompletion } from "./bash.ts";
export { clustersCommandName } from "./clusters-command.ts";
export { type CommandNode, readCommandTree } from "./command-tree.ts";
export { fishCompletion } from "./fish.ts";
export { zshCompletion } from "./zsh.ts";
