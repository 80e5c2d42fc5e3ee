export { findAll, type JsonPath, parseJsonPath } from "./json-path.ts";
export { findPrinter } from "./printer.ts";
export type { Printer } from "./types.ts";
