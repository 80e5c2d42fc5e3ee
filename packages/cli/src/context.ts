import type { HubClient } from "@fairlead/contract";
import { chooseContext } from "./choose-context.ts";
import type { Command } from "./command.ts";
import { type HubContextRef, loadHubContext, type NamedHubContext } from "./config/index.ts";
import type { OpenLive } from "./connection/index.ts";
import { isJsonAsked } from "./format.ts";
import { type AnswerFormat, createOutput, type Output } from "./output/index.ts";
import type { Terminal } from "./terminal.ts";
import { createRequestTrace } from "./trace/index.ts";

/** Every command gets the terminal, a place for its answer, and the hub once it asks for it. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly output: Output;
  readonly contextRef: HubContextRef;
  readonly signal: AbortSignal;
  hubContext(): Promise<NamedHubContext>;
  hub(): Promise<HubClient>;
  /** Each call of what it gives opens one more connection. */
  live(): Promise<OpenLive>;
}

/** Makes the context of the command that is being run, from the options that every command takes. */
export type OpenContext = (command: Command) => CommandContext;

/** Told which command runs. */
export type OnOpen = (command: Command, context: CommandContext) => void;

export function createOpenContext(bare: Terminal, onOpen?: OnOpen): OpenContext {
  return (command) => {
    const { json = false, config, v: level = 0 } = command.optsWithGlobals<GlobalOptions>();
    const trace = createRequestTrace({ level, write: (text) => bare.stderr.write(text) });
    const terminal: Terminal = trace ? { ...bare, trace } : bare;
    const { environment, signal } = terminal;
    const contextRef = { file: config ?? environment.configFile, name: chooseContext(command, environment) };
    const hubContext = (): Promise<NamedHubContext> => loadHubContext(contextRef);
    const context: CommandContext = {
      terminal,
      output: createOutput(terminal, formatOf(command, json)),
      contextRef,
      signal,
      hubContext,
      // Loaded now only: help asks no hub.
      hub: async () => {
        const { connectHub } = await import("./connection/index.ts");
        return connectHub(await hubContext(), terminal, contextRef.file);
      },
      live: async () => {
        const { connectLive } = await import("./connection/index.ts");
        return connectLive(await hubContext(), terminal, contextRef.file);
      },
    };
    onOpen?.(command, context);
    return context;
  };
}

interface GlobalOptions {
  readonly json?: boolean;
  readonly config?: string;
  readonly v?: number;
}

/** Commands with formats of their own print these themselves. */
function formatOf(command: Command, json: boolean): AnswerFormat {
  return command.answerFormat ?? { isJson: json || isJsonAsked(command), isWide: false, hasHeadings: true };
}
