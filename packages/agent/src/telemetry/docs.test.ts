import { readFileSync } from "node:fs";
import { replaceMetrics } from "@fairlead/kernel";
import { expect, test } from "vitest";
import { agentMetrics } from "./metric-table.ts";

test("docs/metrics.md has the agent's metrics; `npm run docs:metrics` makes its table anew", () => {
  const page = readFileSync(new URL("../../../../docs/metrics.md", import.meta.url), "utf8");
  expect(page).toBe(replaceMetrics(page, { program: "fairlead-agent", table: agentMetrics }));
});
