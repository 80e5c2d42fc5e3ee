// The kinds of commands that this agent can run.
import type { CommandKind } from "@fairlead/protocol";
import type { CommandRunner } from "./types.ts";

export type CommandRunners = Readonly<Partial<Record<CommandKind, CommandRunner>>>;

export const commandRunners: CommandRunners = {};
