import { expect, test } from "vitest";
import { readHelmVectors } from "./go-yaml.fixture.ts";
import { readAsHelm } from "./read-as-helm.ts";

const values = (text: string): readonly unknown[] =>
  readAsHelm(text).map((document) => (document.problem ? document.problem.message : document.value));

test.each(readHelmVectors())("Helm takes $yaml, and so is its output read", ({ yaml, value }) => {
  expect(values(yaml)).toEqual([value]);
});

test("an integer of more than 53 bits keeps its digits on its way to the API server", () => {
  const [document] = readAsHelm("a: 9223372036854775807\nb: 1", { integers: "exact" });
  expect(JSON.stringify(document?.problem ?? document?.value)).toBe('{"a":9223372036854775807,"b":1}');
});

test("a document that can't be read hides none of the others", () => {
  const text = "---\n# Source: web/a.yaml\na: 1\n---\nb: 'x\n---\n# nothing\n--- # Source\nc: 3\n---\nd: !!int yes\n";
  expect(values(text)).toEqual([
    { a: 1 },
    "document 2, line 3: a closing quote or bracket, a colon or a comma is missing",
    { c: 3 },
    "document 5, line 2: the value doesn't fit its tag, or JSON has nothing for the tag",
  ]);
});
