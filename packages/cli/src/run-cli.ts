import { HubError } from "@fairlead/contract/client";
import { type FairleadError, internalErrors, printable, toFairleadError, toProblem } from "@fairlead/kernel";
import { CommanderError } from "commander";
import pc from "picocolors";
import type { Command } from "./command.ts";
import { usage } from "./errors.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { isJsonTyped } from "./format.ts";
import { currentCommand } from "./former-paths.ts";
import { createProgram } from "./program.ts";
import { AnswerIsNo, EndsWith, Interrupted, type Terminal } from "./terminal.ts";

/** Runs one command line to its end and says with which code to exit. Never throws. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = await createProgram(terminal, args);
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
    report(error, terminal, isJsonTyped(args));
    return thrown instanceof EndsWith ? thrown.exitCode : exitCodeOf(error);
  }
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

function report(error: FairleadError, terminal: Terminal, isJson: boolean): void {
  const requestId = error instanceof HubError ? error.requestId : undefined;
  if (isJson) {
    terminal.stderr.write(`${JSON.stringify(toProblem(error, { requestId }))}\n`);
    return;
  }
  const colors = pc.createColors(terminal.stderr.isTTY === true && terminal.environment.wantsColor);
  const lines = [`${colors.red("fairlead:")} ${printable(error.message)} (${printable(error.code)})`];
  // A defect of this command: there is no log to look at, so the cause itself is the hint.
  const isOwnDefect = internalErrors.is(error) && !(error instanceof HubError);
  if (isOwnDefect && error.cause instanceof Error) lines.push(`  ${printable(error.cause.message)}`);
  else if (error.hint) lines.push(`  ${printable(error.hint)}`);
  // The hub's log tells more about the hub's own mistakes.
  if (requestId && error.httpStatus >= 500) lines.push(`  Request id: ${printable(requestId)}`);
  terminal.stderr.write(`${lines.join("\n")}\n`);
}
