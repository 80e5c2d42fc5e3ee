import { Option } from "commander";
import type { Command } from "../../command.ts";
import { type Format, type FormatOptions, parseFormat } from "../../formats/index.ts";

export type { Format as ObjectFormat, FormatOptions } from "../../formats/index.ts";

export function addObjectFormat(command: Command): Command {
  const option = new Option("-o, --output <format>", "Output format (default: table)");
  // For completion: `.choices()` itself would refuse the expression that follows the `=`.
  option.argChoices = ["table", "wide", "json", "yaml", "name", "jsonpath=", "custom-columns=", "custom-columns-file="];
  return command.addOption(option).option("--no-headers", "Leave out the headings of tables and custom columns");
}

/** `isJson`: by the flag that all commands have. */
export async function readObjectFormat(options: FormatOptions, isJson: boolean): Promise<Format> {
  return isJson ? { type: "json" } : parseFormat(options);
}

/** True when it needs more of an object than the hub's table has. */
export function needsObject({ type }: Format): boolean {
  return type !== "table" && type !== "name";
}
