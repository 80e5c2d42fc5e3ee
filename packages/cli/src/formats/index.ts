export { type ColumnFormat, columnCells, columnHeading, renderColumns } from "./custom-columns.ts";
export { type DocumentFormat, type Format, type FormatOptions, parseFormat } from "./parse-format.ts";
export { prepareFormat } from "./prepare-format.ts";
export type { PrintedObject } from "./printed-object.ts";
export { loadYaml } from "./yaml.ts";
