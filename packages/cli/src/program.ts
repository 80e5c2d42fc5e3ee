import { Help, Option } from "commander";
import { Command } from "./command.ts";
import { type CommandRow, commandRows } from "./commands/index.ts";
import { createOpenContext, type OnOpen } from "./context.ts";
import { addFormatOptions } from "./format.ts";
import { addFormerPaths } from "./former-paths.ts";
import { commandSummaries } from "./gen/command-summaries.ts";
import type { Terminal } from "./terminal.ts";
import { parseVerbosity } from "./trace/index.ts";
import { clientVersion } from "./version.ts";

/**
 * The commands that a command line may mean: those that its first word names, no more than their names where only the
 * help of all is asked for, or else all. All of them without a command line. Nothing is printed or exited
 * here: errors are thrown, help goes to the terminal given.
 */
export async function createProgram(terminal: Terminal, args?: readonly string[], onOpen?: OnOpen): Promise<Command> {
  const program = createRoot(terminal);
  if (args && asksAboutAll(args)) return addSummaries(program);
  const open = createOpenContext(terminal, onOpen);
  const rows = chooseRows(firstWord(program, args ?? []));
  const adders = await Promise.all(rows.map(({ load }) => load()));
  for (const add of adders) add(program, open);
  addShortNames(program);
  addFormatOptions(program);
  addFormerPaths(program);
  return program;
}

function createRoot(terminal: Terminal): Command {
  return new Command(terminal.environment.program.typedName)
    .description("Manage Kubernetes clusters through a Fairlead hub")
    .version(clientVersion, "-V, --version", "Print the version of this command")
    .addOption(
      new Option("--json", "Print the answer as JSON on standard output, and errors as JSON on standard error"),
    )
    .addOption(
      new Option("--config <file>", "Configuration file (default: FAIRLEAD_CONFIG, or ~/.config/fairlead/config.json)"),
    )
    .addOption(new Option("--context <name>", "Sign-in to use (default: FAIRLEAD_CONTEXT, or the last sign-in)"))
    .addOption(
      new Option(
        "-v, --v <level>",
        "Log requests on standard error, with secrets masked: 6 URLs, 7 headers, 8 short bodies, 9 long bodies",
      ).argParser(parseVerbosity),
    )
    .addOption(new Option("--profile <name>", "Former name of --context").hideHelp())
    .helpOption("-h, --help", "Print help")
    .helpCommand("help [command]", "Print help for a command")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: () => undefined,
    })
    .exitOverride();
}

/** For the help that names all commands, and the version: no command is loaded for these. */
function asksAboutAll(args: readonly string[]): boolean {
  const isAlone = (word: string): boolean => ["-h", "--help", "-V", "--version", "--json"].includes(word);
  return args.every(isAlone) || (args.length === 1 && args[0] === "help");
}

function addSummaries(program: Command): Command {
  const terms = new Map<unknown, string>();
  for (const { name, term, description } of commandSummaries)
    terms.set(program.command(name).description(description), term);
  return program.configureHelp({
    showGlobalOptions: true,
    subcommandTerm: (command) => terms.get(command) ?? new Help().subcommandTerm(command),
  });
}

function chooseRows(word: string | undefined): readonly CommandRow[] {
  const named = commandRows.filter(({ words = [] }) => word !== undefined && words.includes(word));
  return named.length > 0 ? named : commandRows;
}

/** The first word behind the options that every command takes. Undefined where that isn't plain. */
function firstWord(program: Command, args: readonly string[]): string | undefined {
  const [word, ...rest] = args;
  if (word === undefined || !word.startsWith("-")) return word;
  const option = program.options.find(({ short, long }) => [short, long].includes(word.split("=", 1)[0]));
  if (!option || option.optional) return undefined;
  const takesNext = option.required && !word.includes("=");
  return firstWord(program, takesNext ? rest.slice(1) : rest);
}

/** As a shell names them. */
function addShortNames(command: Command): void {
  for (const child of command.children) {
    if (child.name() === "list") child.alias("ls");
    if (child.name() === "delete") child.alias("rm");
    addShortNames(child);
  }
}
