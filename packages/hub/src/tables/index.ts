export { findPrinter } from "./printer.ts";
export type { Printer } from "./types.ts";
