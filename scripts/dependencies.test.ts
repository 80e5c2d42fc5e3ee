import { expect, test } from "vitest";
import { type Advisory, judgeDependencies } from "./dependencies.ts";

const advisories: readonly Advisory[] = [
  { name: "ws", below: "8.17.1", id: "CVE-2024-37890" },
  { name: "debug", exactly: "4.4.2", id: "CVE-2025-59144" },
  { name: "undici", below: "7.28.0", id: "CVE-2026-12151" },
  { name: "undici", from: "8.0.0", below: "8.5.0", id: "CVE-2026-12151" },
];

test.each([
  ["a permissive licence", { license: "MIT" }],
  ["a licence of several that are allowed", { license: "(Apache-2.0 AND BSD-3-Clause)" }],
  ["one allowed licence of two", { license: "GPL-3.0 OR MIT" }],
])("%s is allowed", (_, locked) => {
  expect(judgeDependencies({ "node_modules/a": { version: "1.0.0", ...locked } }, advisories)).toEqual([]);
});

test.each([
  ["no licence", "a", { license: undefined }, "its licence is unknown"],
  ["a copyleft licence", "a", { license: "AGPL-3.0" }, "its licence AGPL-3.0 isn't allowed"],
  ["one copyleft licence of two that hold", "a", { license: "MIT AND GPL-3.0" }, "isn't allowed"],
  ["a tool's licence in what is shipped", "lightningcss", { license: "MPL-2.0" }, "isn't allowed"],
  ["a tool's licence in another tool", "a", { license: "MPL-2.0", dev: true }, "isn't allowed"],
  ["a script at install", "a", { license: "MIT", hasInstallScript: true }, "runs a script at install"],
  ["a native addon", "a", { license: "MIT", cpu: ["x64"] }, "it is a binary of a platform"],
])("%s is refused by name", (_, name, { license, ...locked }, finding) => {
  const found = { version: "1.0.0", ...locked, ...(license !== undefined && { license }) };
  const [only, ...more] = judgeDependencies({ [`node_modules/b/node_modules/${name}`]: found }, advisories);
  expect(only).toMatch(new RegExp(`^${name} 1\\.0\\.0: `));
  expect(only).toContain(finding);
  expect(more).toEqual([]);
});

test("a binary for another platform has the licence of the package that brings it", () => {
  const tool = { version: "1.0.0", license: "MIT", optionalDependencies: { "@biomejs/cli-x": "1.0.0" } };
  const binary = { version: "1.0.0", os: ["x"] };
  expect(judgeDependencies({ "node_modules/t": tool, "node_modules/@biomejs/cli-x": binary }, advisories)).toEqual([]);
  expect(judgeDependencies({ "node_modules/@biomejs/cli-x": binary }, advisories)).toHaveLength(1);
});

test.each([
  ["ws", "8.17.0", true],
  ["ws", "8.9.9", true],
  ["ws", "8.17.1-beta.1", true],
  ["ws", "8.17.1", false],
  ["ws", "10.0.0", false],
  ["debug", "4.4.2", true],
  ["debug", "4.4.1", false],
  ["undici", "7.27.9", true],
  ["undici", "7.28.0", false],
  ["undici", "8.0.0", true],
  ["undici", "8.4.9", true],
  ["undici", "8.5.0", false],
])("%s %s has a known fault: %s", (name, version, isFaulty) => {
  const findings = judgeDependencies({ [`node_modules/${name}`]: { version, license: "MIT" } }, advisories);
  expect(findings).toHaveLength(isFaulty ? 1 : 0);
});
