import { readFileSync } from "node:fs";

/** This package's own, from the file beside `src` and `dist`. */
export const hubVersion: string = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
