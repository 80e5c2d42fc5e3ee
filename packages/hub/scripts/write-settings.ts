// `npm run docs:configuration`: makes the hub's tables in docs/configuration.md anew.
import { readFileSync, writeFileSync } from "node:fs";
import { replaceTables } from "@fairlead/kernel/settings";
import { hubProgram } from "../src/platform/config/index.ts";

const page = new URL("../../../docs/configuration.md", import.meta.url);
writeFileSync(page, replaceTables(readFileSync(page, "utf8"), hubProgram));
