import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

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

test("no other command loads what the doctor alone needs: the catalogue of addons and the client of clusters", () => {
  const loaded = [...loadedBy(new URL("../run-cli.ts", import.meta.url))];

  expect(loaded.some((name) => name.endsWith("/commands/doctor.ts"))).toBe(true);
  expect(loaded.filter((name) => ["@fairlead/doctor", "@fairlead/kube"].includes(name))).toEqual([]);
  expect(loaded.filter((name) => name.includes("/src/doctor/"))).toEqual([]);
});
