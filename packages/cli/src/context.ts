import type { HubClient } from "@fairlead/contract";
import type { Command } from "commander";
import { loadProfile, type Profile } from "./config/index.ts";
import { connectHub } from "./hub/index.ts";
import { createOutput, type Output } from "./output/index.ts";
import type { Terminal } from "./terminal.ts";

/** What every command gets: the terminal, where its answer goes, and the hub once it asks for it. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly output: Output;
  readonly configFile: string;
  readonly signal: AbortSignal;
  profile(): Promise<Profile>;
  hub(): Promise<HubClient>;
}

/** Makes the context of the command that is being run, from the options that every command takes. */
export type OpenContext = (command: Command) => CommandContext;

interface GlobalOptions {
  readonly json?: boolean;
  readonly config?: string;
}

export function createOpenContext(terminal: Terminal): OpenContext {
  return (command) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    const configFile = options.config ?? terminal.environment.configFile;
    const profile = (): Promise<Profile> => loadProfile(configFile);
    return {
      terminal,
      output: createOutput(terminal, options.json === true),
      configFile,
      signal: terminal.signal,
      profile,
      hub: async () => connectHub(await profile(), terminal),
    };
  };
}
