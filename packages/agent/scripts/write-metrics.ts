// `npm run docs:metrics`: makes the agent's table in docs/metrics.md anew.
import { readFileSync, writeFileSync } from "node:fs";
import { replaceMetrics } from "@fairlead/kernel";
import { agentMetrics } from "../src/telemetry/index.ts";

const page = new URL("../../../docs/metrics.md", import.meta.url);
writeFileSync(page, replaceMetrics(readFileSync(page, "utf8"), { program: "fairlead-agent", table: agentMetrics }));
