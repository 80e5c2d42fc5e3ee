import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Check } from "../checks/index.ts";
import { pass } from "../checks/index.ts";
import { checkOwners } from "./check-owners.ts";
import { formatCheckPages } from "./check-pages.ts";

const check: Check = {
  id: "keda.watches-all",
  title: "KEDA watches all namespaces | none is left out",
  why: "A scaled object elsewhere would do nothing.",
  severity: "required",
  features: ["autoscaling-by-events", "scale-to-zero"],
  judge: () => pass(""),
};
const owners = [
  { id: "bare", title: "Bare", checks: [] },
  { id: "keda", title: "KEDA", checks: [check] },
];

test("each check has a page that says why it matters, how bad it is, and how to see it", () => {
  const page = formatCheckPages(owners).get("keda.watches-all.md") ?? "";
  expect(page).toMatch(/^# keda\.watches-all\n/);
  expect(page).toContain("A scaled object elsewhere would do nothing.");
  expect(page).toContain("| Severity | required |");
  expect(page).toContain("it blocks | autoscaling-by-events, scale-to-zero |");
  expect(page).toContain("$ fairlead doctor --only keda.watches-all --fix");
});

test("the list links to each page, and leaves out addons without checks", () => {
  const pages = formatCheckPages(owners);
  expect([...pages.keys()]).toEqual(["README.md", "keda.watches-all.md"]);
  const row =
    "| [keda.watches-all](keda.watches-all.md) | required | KEDA watches all namespaces \\| none is left out |";
  expect(pages.get("README.md")).toContain(row);
  expect(pages.get("README.md")).not.toContain("Bare");
});

test("the pages in docs/checks are those of the catalogue; `npm run docs:checks` makes them anew", () => {
  const folder = new URL("../../../../docs/checks/", import.meta.url);
  const written = new Map(readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), "utf8")]));
  const expected = formatCheckPages(checkOwners);
  expect([...written.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [name, text] of expected) expect(written.get(name), name).toBe(text);
});
