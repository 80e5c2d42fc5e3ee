import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const root = new URL("../../../../../", import.meta.url);

it("every promise in docs/SECURITY.md names a test that is there", async () => {
  const page = await readFile(new URL("docs/SECURITY.md", root), "utf8");
  const promises = [...page.matchAll(/(?:\| |<br>)`([\w./-]+\.(?:test|fixture)\.ts)`: (.+?)(?=<br>| \|$)/gm)];
  expect(promises.length).toBeGreaterThan(30);
  for (const [, path = "", sentence = ""] of promises) {
    const source = await readFile(new URL(path, root), "utf8");
    expect(source.includes(sentence), `${path} has no test "${sentence}"`).toBe(true);
  }
});

it("every table row with a promise names one", async () => {
  const page = await readFile(new URL("docs/SECURITY.md", root), "utf8");
  const [, promises = ""] = /## 3\. Promises\n([\s\S]*?)\n## 4\./.exec(page) ?? [];
  const [, tried = ""] = /## 5\. What was tried\n([\s\S]*?)\n## 6\./.exec(page) ?? [];
  const rows = `${promises}\n${tried}`
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (?:Promise|Attack|Who \|)/.test(line));
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter((row) => !/`[\w./-]+\.(?:test|fixture)\.ts`: .+ \|$/.test(row))).toEqual([]);
});
