import { Argument } from "commander";
import type { Command } from "../command.ts";
import { type CompletedName, completedNames, namesCommandName } from "../completion/index.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { readNames, type TypedSelection } from "../names/index.ts";

/** Hidden: shells call it at each completion of a name, with the words typed so far. */
export function addCompleteNames(program: Command, open: OpenContext): void {
  program
    .command(namesCommandName, { hidden: true })
    .addArgument(new Argument("<what>").choices([...completedNames]))
    .argument("[words...]")
    .action((what: CompletedName, words: string[], _options: object, command: Command) =>
      printNames(open(command), what, readTyped(words)),
    );
  // Scripts that shells have loaded from before.
  program
    .command("__clusters", { hidden: true })
    .action((_options: object, command: Command) => printNames(open(command), "cluster", readTyped([])));
}

/** The options among the typed words that choose objects. */
function readTyped(words: readonly string[]): TypedSelection {
  const valueAfter = (...flags: string[]): string | undefined => {
    const at = words.findLastIndex((word) => flags.includes(word.split("=", 1)[0] ?? ""));
    const word = words[at];
    if (word === undefined) return undefined;
    return word.includes("=") ? word.slice(word.indexOf("=") + 1) : words[at + 1];
  };
  const operands = words.filter((word, index) => !word.startsWith("-") && !takeValue.test(words[index - 1] ?? ""));
  return { kind: operands[1], cluster: valueAfter("--cluster"), namespace: valueAfter("-n", "--namespace") };
}

/** Flags before `get`'s and `describe`'s operands whose value is the next word. */
const takeValue =
  /^(-n|-l|-o|--(cluster|cluster-selector|namespace|selector|field-selector|search|health|sort-by|limit|output|config|context))$/;

async function printNames(
  { hub: connect, output, signal }: CommandContext,
  what: CompletedName,
  typed: TypedSelection,
) {
  // Half a second is what a person waits for a completion.
  const soon = AbortSignal.any([signal, AbortSignal.timeout(500)]);
  const names = await readNames(await connect(), { what, typed, signal: soon });
  // Shells expand the words that they complete with: a hub's answer must not hold commands.
  output.print([...new Set(names)].map((name) => (harmless.test(name) ? `${name}\n` : "")).join(""));
}

const harmless = /^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,252}$/;
