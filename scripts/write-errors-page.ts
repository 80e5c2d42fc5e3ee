// `npm run docs:errors`: fills the tables of docs/errors.md anew.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatErrorsPage, readErrorRows } from "./errors-page.ts";

const root = join(import.meta.dirname, "..");
const file = join(root, "docs", "errors.md");
writeFileSync(file, formatErrorsPage({ page: readFileSync(file, "utf8"), rows: readErrorRows(root) }));
