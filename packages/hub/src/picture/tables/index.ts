export { type BuiltInKind, builtInKinds, findBuiltIn, findBuiltInsNamed } from "./built-in-kinds.ts";
export { cutText } from "./cut-text.ts";
export { findPrinter } from "./printer.ts";
export { readPrinterColumns } from "./printer-columns.ts";
export type { Printer } from "./types.ts";
