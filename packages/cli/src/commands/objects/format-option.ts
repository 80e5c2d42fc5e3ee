import { type Command, Option } from "commander";
import { usage } from "../../errors.ts";
import { parseTemplate, type Template } from "../../jsonpath/index.ts";

/** kubectl's `-o`. */
export type ObjectFormat =
  | { readonly type: "table"; readonly isWide: boolean }
  | { readonly type: "json" }
  | { readonly type: "yaml" }
  | { readonly type: "name" }
  | { readonly type: "jsonpath"; readonly template: Template };

export function addObjectFormat(command: Command): Command {
  const option = new Option("-o, --output <format>", "how to answer (default: table)");
  // For completion: `.choices()` itself would refuse the expression that follows the `=`.
  option.argChoices = ["table", "wide", "json", "yaml", "name", "jsonpath="];
  return command.addOption(option);
}

export function readObjectFormat({ output = "table" }: { readonly output?: string }, isJson: boolean): ObjectFormat {
  if (isJson) return { type: "json" };
  switch (output) {
    case "table":
    case "wide":
      return { type: "table", isWide: output === "wide" };
    case "json":
    case "yaml":
    case "name":
      return { type: output };
    default:
      if (output.startsWith("jsonpath=")) return { type: "jsonpath", template: parseTemplate(output.slice(9)) };
      throw usage(
        `'${output}' isn't a format.`,
        "Formats are table, wide, json, yaml, name and jsonpath={.items[*]…}.",
      );
  }
}
