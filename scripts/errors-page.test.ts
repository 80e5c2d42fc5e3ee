import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatErrorsPage, readErrorRows, readTables } from "./errors-page.ts";

const lamps = `
const table = {
  LAMP_FAR: { httpStatus: 404, message: "the lamp is {farMeters} m away", hint: "Move with 'fairlead move --to {place}|-'." },
  LAMP_OTHER: { message: "{message}", meaning: "A lamp failed: <any>.", hint: "{hint}", remedy: "See docs/lamps.md and \`--x\`." },
};`;
const path = "packages/hub/src/work/lamps/errors.ts";

test("a row says in general what message and hint say of one case, or what the table has beside them", () => {
  expect(readTables({ path, text: lamps })).toEqual([
    {
      code: "LAMP_FAR",
      meaning: "The lamp is FAR-METERS m away.",
      remedy: "Move with 'fairlead move --to PLACE|-'.",
      httpStatuses: [404],
      places: ["hub/work/lamps"],
    },
    {
      code: "LAMP_OTHER",
      meaning: "A lamp failed: <any>.",
      remedy: "See docs/lamps.md and `--x`.",
      httpStatuses: [],
      places: ["hub/work/lamps"],
    },
  ]);
});

test("a text that only one case fills isn't shown, and one that is put together is refused", () => {
  const [row] = readTables({ path, text: 'const table = { LAMP_X: { message: "{what}: {why}" } };' });
  expect(row).toMatchObject({ meaning: "", remedy: "" });
  const joined = 'const table = { LAMP_X: { message: "a" + "b" } };';
  expect(() => readTables({ path, text: joined })).toThrow("message of LAMP_X isn't one text");
});

test("each code stands in the group that names it best, and what is written by hand stays", () => {
  const page = [
    "# Errors",
    "By hand.",
    "<!-- errors: hub/work -->\nold\n<!-- /errors -->",
    "<!-- errors: LAMP_ -->\n<!-- /errors -->",
    "<!-- errors: LAMP_O hub -->\n<!-- /errors -->",
    "The end.",
  ].join("\n");
  const rows = readTables({ path, text: lamps });
  const head = "| Code | Meaning | What to do | HTTP | Source |\n|---|---|---|---|---|\n";
  const written = formatErrorsPage({ page, rows });
  expect(written).toBe(
    [
      "# Errors",
      "By hand.",
      `<!-- errors: hub/work -->\n${head}<!-- /errors -->`,
      `<!-- errors: LAMP_ -->\n${head}| \`LAMP_FAR\` | The lamp is FAR-METERS m away. | Move with \`fairlead move --to PLACE\\|-\`. | 404 | hub/work/lamps |\n<!-- /errors -->`,
      `<!-- errors: LAMP_O hub -->\n${head}| \`LAMP_OTHER\` | A lamp failed: \\<any>. | See [lamps.md](lamps.md) and \`--x\`. |  | hub/work/lamps |\n<!-- /errors -->`,
      "The end.",
    ].join("\n"),
  );
  expect(formatErrorsPage({ page: written, rows })).toBe(written);
  expect(() => formatErrorsPage({ page: "", rows })).toThrow(
    "docs/errors.md has no group for LAMP_FAR (hub/work/lamps)",
  );
});

const root = join(import.meta.dirname, "..");
const rows = readErrorRows(root);

test("every code says what it means and what to do", () => {
  expect(rows.length).toBeGreaterThan(700);
  const wanting = rows.filter(({ meaning, remedy }) => meaning === "" || remedy === "");
  expect(
    wanting.map(({ code }) => code),
    "give them a meaning and a remedy in their tables",
  ).toEqual([]);
});

test("docs/errors.md is made from the tables of errors", () => {
  const page = readFileSync(join(root, "docs", "errors.md"), "utf8");
  expect(formatErrorsPage({ page, rows }), "`npm run docs:errors` brings it up to date").toBe(page);
});
