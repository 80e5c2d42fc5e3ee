// The kinds of commands that this agent can run.
import type { CommandKind } from "@fairlead/protocol";
import { helmRunner } from "./helm/index.ts";
import { manifestsRunner } from "./manifests/index.ts";
import type { CommandRunner } from "./types.ts";

export type CommandRunners = Readonly<Partial<Record<CommandKind, CommandRunner>>>;

export const commandRunners: CommandRunners = { manifests: manifestsRunner, helm: helmRunner };
