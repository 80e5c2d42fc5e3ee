// An answer of the hub as the document that `-o` asked for.
import { printable } from "@fairlead/kernel";
import { evaluateTemplate } from "@fairlead/kernel/json-path";
import type { DocumentRenderer, TableMaker } from "../output/index.ts";
import { columnCells, columnHeading, renderColumns } from "./custom-columns.ts";
import type { Format } from "./parse-format.ts";
import type { PrintedObject } from "./printed-object.ts";
import { loadYaml } from "./yaml.ts";

/** Undefined for tables, and for JSON, which every command prints by itself. */
export async function prepareFormat(
  format: Format,
  printed: PrintedObject | undefined,
): Promise<DocumentRenderer | undefined> {
  switch (format.type) {
    case "table":
    case "json":
      return undefined;
    case "yaml": {
      const toYaml = await loadYaml();
      return { all: toYaml, one: (document) => `---\n${toYaml(document)}` };
    }
    case "name": {
      const toLine = (item: unknown): string => `${printable(nameOf(item, printed))}\n`;
      return { all: (answer) => itemsOf(answer).map(toLine).join(""), one: toLine };
    }
    case "jsonpath": {
      const evaluate = (document: unknown): string => evaluateTemplate(format.template, document);
      return { all: evaluate, one: evaluate };
    }
    case "custom-columns": {
      let write: ReturnType<TableMaker["tableWriter"]> | undefined;
      return {
        all: (answer, output) => renderColumns(output, itemsOf(answer), format),
        one: (document, output) => {
          write ??= output.tableWriter(columnHeading(format));
          return write([columnCells(document, format)]);
        },
      };
    }
    default:
      return format satisfies never;
  }
}

/** An answer with a name of its own is one object; another one is a list, which is its first member if it has no `items`. */
function itemsOf(answer: unknown): readonly unknown[] {
  const fields: Readonly<Record<string, unknown>> = typeof answer === "object" && answer !== null ? { ...answer } : {};
  if (fields["name"] !== undefined || fields["id"] !== undefined) return [answer];
  const items = fields["items"] ?? Object.values(fields).find(Array.isArray);
  return Array.isArray(items) ? items : [answer];
}

/** `cluster/east`. */
function nameOf(item: unknown, { type, nameOf: name = defaultName }: PrintedObject = { type: "object" }): string {
  const fields = typeof item === "object" && item !== null ? { ...item } : {};
  return `${type}/${name(fields)}`;
}

function defaultName(fields: Readonly<Record<string, unknown>>): string {
  return String(fields["name"] ?? fields["id"] ?? "");
}
