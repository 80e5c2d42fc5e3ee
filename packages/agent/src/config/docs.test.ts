import { readFileSync } from "node:fs";
import { replaceTables } from "@fairlead/kernel/settings";
import { expect, test } from "vitest";
import { agentProgram } from "./settings.ts";

test("docs/configuration.md has the agent's settings; `npm run docs:configuration` makes its tables anew", () => {
  const page = readFileSync(new URL("../../../../docs/configuration.md", import.meta.url), "utf8");
  expect(page).toBe(replaceTables(page, agentProgram));
});
