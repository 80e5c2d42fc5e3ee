import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readCommandTree } from "./completion/command-tree.ts";
import { exitCodes } from "./exit-codes.ts";
import { createProgram } from "./program.ts";
import { createTestTerminal } from "./testing/cli.fixture.ts";

const docs = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
const tree = readCommandTree(createProgram(createTestTerminal("/nowhere").terminal));
const leaves = tree.filter(({ path, commands }) => path !== "" && commands.length === 0);

test("the guide has a section with an example for every command, and for no other", () => {
  const sections = docs.split(/^### /m).slice(1);
  const documented = sections.map((section) => /^`fairlead ([a-z -]+[a-z])/.exec(section)?.[1]);

  expect(leaves.length).toBeGreaterThan(10);
  expect(documented).toEqual(leaves.map(({ path }) => path));
  for (const section of sections) expect(section, "a worked example").toContain("```console\n$ ");
});

test("the guide names every option in its command's section", () => {
  for (const { path, options } of leaves) {
    const section = docs.split(/^### /m).find((text) => new RegExp(`^\`fairlead ${path}[ \`]`).test(text)) ?? "";
    const general = docs.slice(0, docs.indexOf("## Commands"));
    for (const flag of options.flatMap(({ flags }) => flags)) {
      expect(section + general, `${path} ${flag}`).toContain(`\`${flag}`);
    }
  }
});

test("the guide lists every exit code with its meaning, and no other", () => {
  const table = /## Exit codes\n\n\|.*\n\|.*\n((?:\|.*\n)+)/.exec(docs)?.[1] ?? "";
  const expected = Object.values(exitCodes).map(({ value, meaning }) => `| ${value} | ${meaning} |\n`);

  expect(table).toBe(expected.join(""));
});
