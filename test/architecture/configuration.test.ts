import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { programArgs } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { root } from "./sources.ts";

const document = readFileSync(join(root, "docs/configuration.md"), "utf8");
/** About the program itself, or the file that the other settings are in. */
const notSettings = new Set(["--config", "--print-config", "--version", "--help"]);

test.each(["hub", "agent"] as const)(
  "docs/configuration.md has every setting of fairlead-%s and no other",
  (program) => {
    const [, section = ""] = new RegExp(`## \`fairlead-${program}\`([^]*?)(\n## |$)`).exec(document) ?? [];
    const documented = [...section.matchAll(/^\| `(--[a-z-]+)/gm)].map(([, flag]) => flag);
    const { stdout } = spawnSync(process.execPath, [...programArgs(program), "--help"], { encoding: "utf8" });
    const offered = [...stdout.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag ?? "");
    expect(offered.length).toBeGreaterThan(5);
    expect(documented.sort()).toEqual(offered.filter((flag) => !notSettings.has(flag)).sort());
  },
);

test("no setting has a unit in its name", () => {
  expect(document.match(/`--[a-z-]*-(?:ms|seconds?|mib|bytes|days|hours|minutes)\b[^`]*`/g)).toEqual([
    "`--drain-ms 5000`",
  ]);
});

test("every documented variable is spelled like its flag", () => {
  for (const [, flag = "", variable] of document.matchAll(
    /^\| `--([a-z-]+)[^|]*\| `FAIRLEAD_(?:HUB|AGENT)_([A-Z_]+)`/gm,
  )) {
    expect(variable).toBe(flag.toUpperCase().replaceAll("-", "_"));
  }
});
