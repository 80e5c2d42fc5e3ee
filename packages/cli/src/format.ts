import { InvalidArgumentError, Option } from "commander";
import type { Command } from "./command.ts";
import type { AnswerFormat } from "./output/index.ts";

const forAnswers: readonly string[] = ["table", "json", "yaml", "jsonpath="];
const forObjects: readonly string[] = [
  "table",
  "wide",
  "json",
  "yaml",
  "name",
  "jsonpath=",
  "custom-columns=",
  "custom-columns-file=",
];

/** Gives every command kubectl's `-o` beside `--json`; but for those that have an `-o` of their own. */
export function addFormatOptions(command: Command): void {
  for (const child of command.children) addFormatOptions(child);
  const isLeaf = command.commands.length === 0;
  if (!isLeaf || command.options.some(({ long }) => long === "--output")) return;
  command.addOption(formatOption(command.printed ? forObjects : forAnswers));
  if (command.printed) command.option("--no-headers", "Leave out the headings of tables and custom columns");
  // The formats are loaded when one is asked for: kubectl waits for this program at every call.
  command.hook("preAction", async () => {
    command.answerFormat = await readFormat(command);
    // Some commands hand all of their options to the hub, and these aren't for it.
    const options = command.opts();
    delete options["output"];
    delete options["headers"];
  });
}

function formatOption(formats: readonly string[]): Option {
  const option = new Option("-o, --output <format>", "Output format (default: table)");
  // For completion: `.choices()` itself would refuse the expression that follows the `=`.
  option.argChoices = [...formats];
  return option.argParser((text: string) => {
    const isKnown = formats.some((format) => (format.endsWith("=") ? text.startsWith(format) : text === format));
    if (!isKnown) throw new InvalidArgumentError(`Allowed choices are ${formats.join(", ")}.`);
    return text;
  });
}

async function readFormat(command: Command): Promise<AnswerFormat> {
  const { json = false, output, headers: hasHeadings = true } = command.optsWithGlobals<AskedFormat>();
  const known = { isJson: json || output === "json", isWide: output === "wide", hasHeadings };
  if (known.isJson || output === undefined || output === "table" || output === "wide") return known;
  const { parseFormat, prepareFormat } = await import("./formats/index.ts");
  const format = await parseFormat({ output, headers: hasHeadings });
  return { ...known, renderer: await prepareFormat(format, command.printed) };
}

interface AskedFormat {
  readonly json?: boolean;
  readonly output?: string;
  readonly headers?: boolean;
}

/** By an option of the command's own. */
export function isJsonAsked(command: Command): boolean {
  const option = command.options.find(({ long }) => long === "--output");
  return option?.argChoices?.includes("json") === true && command.getOptionValue("output") === "json";
}

/** Before the command line is understood, when an error must already be told in the right form. */
export function isJsonTyped(args: readonly string[]): boolean {
  return args.some(
    (word, index) =>
      ["--json", "-ojson", "-o=json", "--output=json"].includes(word) ||
      (word === "json" && ["-o", "--output"].includes(args[index - 1] ?? "")),
  );
}
