// `npm run docs:configuration`: makes the agent's tables in docs/configuration.md anew.
import { readFileSync, writeFileSync } from "node:fs";
import { replaceTables } from "@fairlead/kernel/settings";
import { agentProgram } from "../src/config/index.ts";

const page = new URL("../../../docs/configuration.md", import.meta.url);
writeFileSync(page, replaceTables(readFileSync(page, "utf8"), agentProgram));
