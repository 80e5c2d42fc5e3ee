import type { ObjectItem } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { type ColumnFormat, columnCells, columnHeading } from "../../formats/index.ts";
import { toDocument } from "./document.ts";
import type { ChangePrinter } from "./watch-documents.ts";

/** A line for each change that shows in these columns. */
export function createColumnsPrinter({ output }: CommandContext, format: ColumnFormat): ChangePrinter {
  const write = output.tableWriter(columnHeading(format));
  const cellsOf = (item: ObjectItem): string[] => columnCells(toDocument(item, false), format);
  return {
    mark: (item) => JSON.stringify(cellsOf(item)),
    keep: ({ object: _, ...item }) => item,
    print: async (changes) => {
      const rows = changes.filter(({ type }) => type !== "DELETED").map(({ item }) => cellsOf(item));
      return rows.length === 0 ? "" : write(rows);
    },
    printAges: () => "",
  };
}
