export { type CommandsRoom, openCommands } from "./open.ts";
export type { CommandParts } from "./parts.ts";
export { requireKeys } from "./routes.ts";
export type { CommandWhole } from "./rows.ts";
