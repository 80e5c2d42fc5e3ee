import type { Template } from "@fairlead/kernel/json-path";
import { usage } from "../errors.ts";
import { type CustomColumn, parseCustomColumns, readCustomColumns } from "./custom-columns.ts";
import { parseTemplate } from "./json-path.ts";

/** kubectl's `-o`. */
export type Format =
  | { readonly type: "table"; readonly isWide: boolean; readonly hasHeadings: boolean }
  | { readonly type: "custom-columns"; readonly columns: readonly CustomColumn[]; readonly hasHeadings: boolean }
  | DocumentFormat;

/** Formats that print whole objects, or their names. */
export type DocumentFormat =
  | { readonly type: "json" }
  | { readonly type: "yaml" }
  | { readonly type: "name" }
  | { readonly type: "jsonpath"; readonly template: Template };

export interface FormatOptions {
  readonly output?: string;
  /** False by `--no-headers`. */
  readonly headers?: boolean;
}

/** Reads the value of `-o`. Throws CLI_USAGE, and what reading a file throws. */
export async function parseFormat({ output = "table", headers: hasHeadings = true }: FormatOptions): Promise<Format> {
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

function splitOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}
