export type { Place } from "./parse-dump.ts";
export { type DumpReading, readDump } from "./read-dump.ts";
