import { Option } from "commander";
import type { Command } from "../../command.ts";
import { usage } from "../../errors.ts";
import { parseTemplate } from "../../json-path.ts";
import { type CustomColumn, parseCustomColumns, readCustomColumns } from "./custom-columns.ts";
import type { DocumentFormat } from "./document.ts";

/** kubectl's `-o`. */
export type ObjectFormat =
  | { readonly type: "table"; readonly isWide: boolean; readonly hasHeadings: boolean }
  | { readonly type: "custom-columns"; readonly columns: readonly CustomColumn[]; readonly hasHeadings: boolean }
  | DocumentFormat;

export interface FormatOptions {
  readonly output?: string;
  /** False by `--no-headers`. */
  readonly headers?: boolean;
}

export function addObjectFormat(command: Command): Command {
  const option = new Option("-o, --output <format>", "Output format (default: table)");
  // For completion: `.choices()` itself would refuse the expression that follows the `=`.
  option.argChoices = ["table", "wide", "json", "yaml", "name", "jsonpath=", "custom-columns=", "custom-columns-file="];
  return command.addOption(option).option("--no-headers", "Leave out the headings of tables and custom columns");
}

export async function readObjectFormat(
  { output = "table", headers: hasHeadings = true }: FormatOptions,
  isJson: boolean,
): Promise<ObjectFormat> {
  if (isJson) return { type: "json" };
  const [type = "", expression] = splitOnce(output, "=");
  switch (type) {
    case "table":
    case "wide":
      if (expression === undefined) return { type: "table", isWide: type === "wide", hasHeadings };
      break;
    case "json":
    case "yaml":
    case "name":
      if (expression === undefined) return { type };
      break;
    case "jsonpath":
      if (expression !== undefined) return { type, template: parseTemplate(expression) };
      break;
    case "custom-columns":
      return { type, columns: parseCustomColumns(expression ?? ""), hasHeadings };
    case "custom-columns-file":
      return { type: "custom-columns", columns: await readCustomColumns(expression ?? ""), hasHeadings };
  }
  throw usage(
    `'${output}' isn't a format.`,
    "Formats are table, wide, json, yaml, name, jsonpath={.items[*]…} and custom-columns=NAME:.metadata.name,….",
  );
}

/** True when it needs more of an object than the hub's table has. */
export function needsObject({ type }: ObjectFormat): boolean {
  return type !== "table" && type !== "name";
}

function splitOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}
