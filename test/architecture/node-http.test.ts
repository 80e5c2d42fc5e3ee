// What each start of hub, agent and CLI loads of Node.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSources, root } from "./sources.ts";

/** A sign-in by a browser loads it, when it has to listen. */
const late = ["packages/cli/src/login/loopback.ts"];

test("no program imports values of `node:http`, which loads Node's `fetch` at each start: they come from `nodeHttp`", () => {
  const shipped = readSources().filter(
    ({ packageName, isTest }) => packageName !== undefined && packageName !== "testkit" && !isTest,
  );

  const importers = shipped.filter(({ path }) => importsValues(readFileSync(join(root, path), "utf8")));

  expect(shipped.length).toBeGreaterThan(500);
  expect(importers.map(({ path }) => path)).toEqual(late);
});

test("types of `node:http` don't count", () => {
  expect(importsValues('import type { Server } from "node:http";\n')).toBe(false);
  expect(importsValues('import { type A, type B } from "node:http";\n')).toBe(false);
  expect(importsValues('import {\n  type A,\n  request,\n} from "node:http";\n')).toBe(true);
  expect(importsValues('import http from "http";\n')).toBe(true);
});

function importsValues(text: string): boolean {
  const imports = [...text.matchAll(/^(?:import|export) (?!type\b)([^;]*?) ?from "(?:node:)?http";/gm)];
  return imports.some(([, names = ""]) => !/^\{(\s*type [^,}]+,?)+\s*\}$/.test(names));
}
