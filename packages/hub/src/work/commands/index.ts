export { type CommandsRoom, openCommands } from "./open.ts";
