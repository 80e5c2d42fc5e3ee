// `npm run docs:checks`: makes docs/checks anew, so that no page of a check that is gone stays behind.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { checkOwners, formatCheckPages } from "../src/pages/index.ts";

const folder = new URL("../../../docs/checks/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) rmSync(new URL(name, folder));
for (const [name, text] of formatCheckPages(checkOwners)) writeFileSync(new URL(name, folder), text);
