import type { HubError } from "@fairlead/contract/client";
import { type FairleadError, internalErrors, printable, toFairleadError, toProblem } from "@fairlead/kernel";
import { CommanderError } from "commander";
import pc from "picocolors";
import type { Command } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { usage } from "./errors.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { isJsonTyped } from "./format.ts";
import { currentCommand } from "./former-paths.ts";
import { createProgram } from "./program.ts";
import { AnswerIsNo, EndsWith, Interrupted, type Terminal } from "./terminal.ts";

/** Runs one command line to its end and says with which code to exit. Never throws. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  let opened: Opened | undefined;
  const program = await createProgram(terminal, args, (command, context) => {
    opened = { command, context };
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCodes.ok.value;
  } catch (thrown) {
    if (terminal.signal.aborted || thrown instanceof Interrupted) return exitCodes.interrupted.value;
    if (thrown instanceof AnswerIsNo) return exitCodes.no.value;
    if (thrown instanceof EndsWith && thrown.cause === undefined) return thrown.exitCode;
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return exitCodes.ok.value;
    // No command was named: commander has printed the help instead.
    if (thrown instanceof CommanderError && thrown.code === "commander.help") return exitCodes.usage.value;

    const cause = thrown instanceof EndsWith ? thrown.cause : thrown;
    const error = cause instanceof CommanderError ? toUsage(cause, pathOf(program, args)) : toFairleadError(cause);
    const advice = opened && (await adviseOn(error, opened));
    report(error, terminal, { isJson: isJsonTyped(args), advice });
    return thrown instanceof EndsWith ? thrown.exitCode : exitCodeOf(error);
  }
}

/** The command that ran. */
interface Opened {
  readonly command: Command;
  readonly context: CommandContext;
}

/** Which name was likely meant, where there is nothing of a name. */
async function adviseOn({ httpStatus }: FairleadError, { command, context }: Opened): Promise<string | undefined> {
  if (httpStatus !== 404 && httpStatus !== 422) return undefined;
  const { suggestNames } = await import("./names/index.ts");
  return suggestNames(command, context);
}

/** `error: unknown command 'lst'\n(Did you mean list?)` as an error of ours. */
function toUsage(thrown: CommanderError, path: string): FairleadError {
  const [first = "", suggestion] = thrown.message.replace(/^error: /, "").split("\n");
  const message = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, "")}.`;
  return usage(message, suggestion?.replace(/^\((.*)\)$/, "$1") ?? `See '${path} --help'.`);
}

/** The command that was typed, as far as there is one: `fairlead cluster add`. */
function pathOf(program: Command, args: readonly string[]): string {
  let command = program;
  for (const word of args) {
    const next = command.children.find((child) => child.name() === word || child.aliases().includes(word));
    if (next) command = next;
  }
  return currentCommand(command).path;
}

function report(
  error: FairleadError,
  terminal: Terminal,
  { isJson, advice }: { readonly isJson: boolean; readonly advice: string | undefined },
): void {
  const requestId = isHubError(error) ? error.requestId : undefined;
  if (isJson) {
    const problem = toProblem(error, { requestId });
    const hint = [advice, problem.hint].filter((text) => text !== undefined).join(" ");
    terminal.stderr.write(`${JSON.stringify(hint === "" ? problem : { ...problem, hint })}\n`);
    return;
  }
  const colors = pc.createColors(terminal.stderr.isTTY === true && terminal.environment.wantsColor);
  const lines = [`${colors.red("fairlead:")} ${printable(error.message)} (${printable(error.code)})`];
  if (advice !== undefined) lines.push(`  ${printable(advice)}`);
  // A defect of this command: there is no log to look at, so the cause itself is the hint.
  const isOwnDefect = internalErrors.is(error) && !isHubError(error);
  if (isOwnDefect && error.cause instanceof Error) lines.push(`  ${printable(error.cause.message)}`);
  else if (error.hint) lines.push(`  ${printable(error.hint)}`);
  // The hub's log tells more about the hub's own mistakes.
  if (requestId && error.httpStatus >= 500) lines.push(`  Request id: ${printable(requestId)}`);
  terminal.stderr.write(`${lines.join("\n")}\n`);
}

/** Told by what it has, so that the client of the hub is loaded by commands alone that ask one. */
function isHubError(error: FairleadError): error is HubError {
  return "requestId" in error;
}
