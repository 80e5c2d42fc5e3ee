// A CRD's `additionalPrinterColumns` as far as anyone is shown them. Their authors are all who may make a CRD, or
// report one: what columns can cost is bounded when an agent reports them, and again when they are used, since an older
// hub kept more.
import { Fields } from "@fairlead/kube";
import { cutText } from "./cut-text.ts";

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority: number;
  readonly jsonPath: string;
}

/** Undefined when there are none. */
export function readPrinterColumns(definitions: unknown): PrinterColumn[] | undefined {
  if (!Array.isArray(definitions)) return undefined;
  const columns = definitions.slice(0, maxColumns).flatMap((definition) => readColumn(new Fields(definition)));
  return columns.length === 0 ? undefined : columns;
}

function readColumn(definition: Fields): PrinterColumn[] {
  const name = definition.at("name").text();
  const jsonPath = definition.at("jsonPath").text();
  if (name === undefined) return [];
  const type = definition.at("type").text() ?? "";
  const format = definition.at("format").text();
  const description = definition.at("description").text();
  const priority = definition.at("priority").number() ?? 0;
  return [
    {
      // It stands in headings of terminals.
      name: cutText(name.replaceAll(/\p{Cc}/gu, "\ufffd"), maxNameBytes),
      type: types.has(type) ? type : "string",
      ...(format !== undefined && { format: cutText(format, maxNameBytes) }),
      ...(description !== undefined && { description: cutText(description, maxDescriptionBytes) }),
      priority: Number.isInteger(priority) ? Math.min(Math.max(priority, 0), maxPriority) : 0,
      // Part of a path leads elsewhere. A column that can't be computed stays, and is empty.
      jsonPath: jsonPath === undefined || jsonPath.length > maxPathLength ? "" : jsonPath,
    },
  ];
}

const types: ReadonlySet<string> = new Set(["integer", "number", "string", "boolean", "date"]);
const maxColumns = 32;
const maxNameBytes = 96;
const maxDescriptionBytes = 256;
const maxPathLength = 512;
const maxPriority = 2 ** 31 - 1;
