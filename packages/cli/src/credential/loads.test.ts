import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandRows } from "../commands/index.ts";

const values = /^(?:import|export) (?!type\b)[^;]*?from "([^"]+)";|^import "([^"]+)";/gms;

/**
 * Finds the modules that are loaded before the first line runs: everything that a module imports, but types and what it
 * loads later.
 */
function loadedBy(file: URL, sofar = new Set<string>()): Set<string> {
  for (const [statement, from, alone] of readFileSync(file, "utf8").matchAll(values)) {
    const name = from ?? alone ?? "";
    const isTypesOnly = /^import \{(\s*type [^,}]+,?)+\s*\}/.test(statement);
    if (isTypesOnly || sofar.has(name.startsWith(".") ? new URL(name, file).href : name)) continue;
    sofar.add(name.startsWith(".") ? new URL(name, file).href : name);
    if (name.startsWith(".")) loadedBy(new URL(name, file), sofar);
  }
  return sofar;
}

test("kubectl's plugin loads neither the other commands nor a parser, a schema or a network client", () => {
  const loaded = [
    ...loadedBy(new URL("./index.ts", import.meta.url)),
    ...loadedBy(new URL("../start.ts", import.meta.url)),
  ];
  const packages = loaded.filter((name) => !name.startsWith("file:") && !name.startsWith("node:"));

  expect(loaded.some((name) => name.endsWith("/session/use-session.ts"))).toBe(true);
  expect(new Set(packages)).toEqual(new Set(["@fairlead/kernel"]));
  expect(loaded).not.toContain("node:https");
  expect(loaded.filter((name) => name.includes("/src/commands/"))).toEqual([]);
});

const rows = new URL("../commands/index.ts", import.meta.url);
const rowFiles = [...readFileSync(rows, "utf8").matchAll(/import\("([^"]+)"\)/g)].map(
  ([, name = ""]) => new URL(name, rows),
);

test("no command is loaded before its name is known", () => {
  const loaded = [...loadedBy(new URL("../run-cli.ts", import.meta.url))];

  expect(loaded).toContain(rows.href);
  expect(loaded.filter((name) => name.includes("/src/commands/"))).toEqual([rows.href]);
});

test("neither the start nor the help of a command loads schemas, the catalogue of addons or the client of clusters", () => {
  const loaded = [new URL("../run-cli.ts", import.meta.url), ...rowFiles].flatMap((file) => [...loadedBy(file)]);

  expect(rowFiles).toHaveLength(commandRows.length);
  expect(loaded.some((name) => name.endsWith("/fitness/features.ts"))).toBe(true);
  expect(loaded).toContain("@fairlead/contract/client");
  const heavy = ["@fairlead/contract", "@fairlead/doctor", "@fairlead/kube", "zod"];
  expect(loaded.filter((name) => heavy.includes(name))).toEqual([]);
  expect(loaded.filter((name) => name.includes("/src/doctor/"))).toEqual([]);
});

test("the client loads no schema before an answer is there", () => {
  const contract = new URL("../../../contract/src/client.ts", import.meta.url);

  const loaded = [...loadedBy(contract)];

  expect(loaded.some((name) => name.endsWith("/hub-client/create-calls.ts"))).toBe(true);
  expect(loaded.filter((name) => !name.startsWith("file:"))).toEqual(["@fairlead/kernel"]);
});
