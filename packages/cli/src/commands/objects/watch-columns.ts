import type { CommandContext } from "../../context.ts";
import { type ColumnFormat, cellsOf, headingOf } from "./custom-columns.ts";
import type { ChangePrinter } from "./watch-documents.ts";

/** A line for each change that shows in these columns. */
export function createColumnsPrinter({ output }: CommandContext, format: ColumnFormat): ChangePrinter {
  const write = output.tableWriter(headingOf(format));
  return {
    mark: (item) => JSON.stringify(cellsOf(item, format)),
    keep: ({ object: _, ...item }) => item,
    print: async (changes) => {
      const rows = changes.filter(({ type }) => type !== "DELETED").map(({ item }) => cellsOf(item, format));
      return rows.length === 0 ? "" : write(rows);
    },
    printAges: () => "",
  };
}
