import { Option } from "commander";
import type { Command } from "./command.ts";

type Format = "table" | "json";

const formats: readonly Format[] = ["table", "json"];

/**
 * Gives every command `-o json`, which people know from kubectl, beside `--json`; but for those whose `-o` names a file.
 */
export function addFormatOptions(command: Command): void {
  for (const child of command.children) addFormatOptions(child);
  const isLeaf = command.commands.length === 0;
  if (!isLeaf || command.options.some(({ long }) => long === "--output")) return;
  command.addOption(new Option("-o, --output <format>", "Output format (default: table)").choices(formats));
}

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
