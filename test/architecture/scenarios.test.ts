// Pages name the tests that show what they promise. A test that is renamed or gone must not stay there.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";
import { root } from "./sources.ts";

const page = "docs/commands-scenarios.md";
const rows = [...readFileSync(join(root, page), "utf8").matchAll(/^\| (\d+) \|.*\| (.*) \|$/gm)].map(
  ([, number, shownBy = ""]) => ({ number: Number(number), named: readNamedTests(shownBy) }),
);

test(`${page} has each of the thirty scenarios, in their order`, () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
});

test.each(rows)("scenario $number names tests that are there", ({ named }) => {
  expect(named).not.toEqual([]);
  expect(named.filter(({ path, title }) => !readTitles(path).has(title))).toEqual([]);
});

const argoPage = "docs/argocd-scenarios.md";
const argoRows = [...readFileSync(join(root, argoPage), "utf8").matchAll(/^\| ([^|]+) \| (`[^|]+) \|$/gm)].map(
  ([, scenario = "", shownBy = ""]) => ({ scenario, named: readNamedTests(shownBy) }),
);

test(`${argoPage} has scenarios and cases`, () => {
  expect(argoRows.length).toBeGreaterThan(40);
});

test.each(argoRows)("$scenario: names tests that are there", ({ named }) => {
  expect(named).not.toEqual([]);
  expect(named.filter(({ path, title }) => !readTitles(path).has(title))).toEqual([]);
});

interface NamedTest {
  readonly path: string;
  readonly title: string;
}

/** Parts of a cell that begin with no file are remarks. */
function readNamedTests(cell: string): NamedTest[] {
  return cell.split("<br>").flatMap((part) => {
    const [, path, title] = /^`([\w./-]+\.test\.ts)`: (.+)$/.exec(part) ?? [];
    return path === undefined || title === undefined ? [] : [{ path, title }];
  });
}

const known = new Map<string, ReadonlySet<string>>();

function readTitles(path: string): ReadonlySet<string> {
  const titles = known.get(path) ?? parseTitles(path);
  known.set(path, titles);
  return titles;
}

/** As they are written: `%s` and the like stay. */
function parseTitles(path: string): ReadonlySet<string> {
  const file = join(root, path);
  const titles = new Set<string>();
  if (!existsSync(file)) return titles;
  new Visitor({
    CallExpression: ({ callee, arguments: [title] }) => {
      if (title?.type === "Literal" && typeof title.value === "string" && isTest(callee)) titles.add(title.value);
    },
  }).visit(parseSync(file, readFileSync(file, "utf8")).program);
  return titles;
}

/** `test`, and also `test.each(…)` and `test.concurrent`. */
function isTest(callee: { readonly type: string }): boolean {
  if ("name" in callee) return ["test", "it", "describe"].includes(String(callee.name));
  const inner = "object" in callee ? callee.object : "callee" in callee ? callee.callee : undefined;
  return inner !== undefined && isTest(inner as { readonly type: string });
}
