import { expect, test } from "vitest";
import { readVectors } from "./go-yaml.fixture.ts";
import { readDocuments } from "./read-documents.ts";
import { YamlProblem } from "./yaml-problem.ts";

test.each(readVectors())("$yaml is read as Helm reads it", ({ yaml, value }) => {
  const [document] = readDocuments(yaml);
  expect(document?.value).toEqual(value);
});

test("documents are counted, empty ones too", () => {
  const text = "# nothing\n---\na: 1\n---\n---\n# nothing\n---\nb: 2\n...\n---\nc: 3\n";
  expect(readDocuments(text).filter(({ value }) => value !== undefined)).toEqual([
    { number: expect.any(Number), value: { a: 1 } },
    { number: expect.any(Number), value: { b: 2 } },
    { number: expect.any(Number), value: { c: 3 } },
  ]);
  expect(readDocuments("")).toEqual([]);
});

test("scenario 14: files with byte order marks, joined into one, are read", () => {
  expect(readDocuments("\uFEFFa: 1\r\n---\r\n\uFEFFb: 2\r\n").map(({ value }) => value)).toEqual([{ a: 1 }, { b: 2 }]);
});

test.each([
  ["a key that is there twice", "a: 1\n---\nb: 1\nc: 2\nb: 3\n", 'document 2, line 5: the key "b" is there twice'],
  ["keys that become the same text", "v: {yes: 1, 'true': 2}", 'document 1, line 1: the key "true" is there twice'],
  ["an integer that would be rounded", "v: 9007199254740993", "document 1, line 1: an integer of more than 53 bits"],
  ["one beyond 64 bits", "v: 99999999999999999999", "document 1, line 1: an integer of more than 53 bits"],
  ["a number without end", "v: .inf", "document 1, line 1: an infinite number"],
  ["what is no number", "v: -.INF", "document 1, line 1: an infinite number"],
  ["a NUL byte", "a: 1\nb: \0", "line 2: there is a NUL byte"],
  ["a control character", "a: \u0007", "line 1: there is the control character U+0007"],
  ["bytes that weren't UTF-8", "a: caf\uFFFD", "line 1: bytes there aren't UTF-8"],
  ["half a character", "a: \uD800", "line 1: bytes there aren't UTF-8"],
  ["an alias without its anchor", "a: *x", "document 1, line 1: the alias names an anchor"],
  ["an anchor of another document", "a: &x 1\n---\nb: *x", "document 2, line 3: the alias names an anchor"],
  ["an alias inside what it names", "a: &x [*x]", "document 1, line 1: the alias is inside what it names"],
  ["a merge of what is no mapping", "a: &x 1\nb:\n  <<: *x", "document 1, line 3: only a mapping"],
  ["a list as a key", "? [a]\n: 1", "document 1, line 1: a key has to be a text"],
  ["nothing as a key", "~: 1", "document 1, line 1: the key is no text"],
  ["a tag of another program", "v: !Ref x", "document 1, line 1: the value doesn't fit its tag"],
  ["a tag that doesn't fit", "v: !!int yes", "document 1, line 1: the value doesn't fit its tag"],
  ["a set", "v: !!set {a, b}", "document 1, line 1: it has a tag"],
  ["a bad indentation", "a:\n  b: 1\n c: 2\n", "document 1, line 3:"],
  ["a tab", "a:\n\tb: 1\n", "document 1, line 2:"],
  ["a quote without its end", 'a: "x\n', "document 1, line 2: a closing quote"],
])("scenario 14: %s is refused, by its document and line", (_what, text, message) => {
  expect(() => readDocuments(text)).toThrow(message);
});

test("what is refused says no values, which may be secret", () => {
  for (const text of ['v: "hunter2', "v: !x hunter2", "hunter2\n  - x: [", "v: hunter2\n w: 1", "v: {hunter2: [}"]) {
    try {
      readDocuments(text);
      expect.unreachable(text);
    } catch (error) {
      expect(error).toBeInstanceOf(YamlProblem);
      expect((error as YamlProblem).message).not.toContain("hunter2");
    }
  }
});

test("aliases that repeat each other without end are stopped early", () => {
  const levels = Array.from({ length: 12 }, (_, index) => {
    const inner = index === 0 ? "x" : `*l${index - 1}`;
    return `l${index}: &l${index} [${Array(10).fill(inner).join(", ")}]`;
  });
  expect(() => readDocuments(levels.join("\n"))).toThrow("aliases repeat too much");
  const long = `a: &a "${"x".repeat(100_000)}"\nb: [${Array(100).fill("*a").join(", ")}]`;
  expect(() => readDocuments(long)).toThrow("aliases repeat too much");
});

test("what is nested too deeply is refused", () => {
  const depth = 5_000;
  expect(() => readDocuments(`${"[".repeat(depth)}${"]".repeat(depth)}`)).toThrow("nested too deeply");
  expect(() => readDocuments(`${"[".repeat(300)}${"]".repeat(300)}`)).toThrow("nested too deeply");
});

test("no key reaches a prototype", () => {
  const [document] = readDocuments("__proto__: {polluted: true}\nconstructor: {prototype: 1}");
  expect(JSON.stringify(document?.value)).toBe('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}');
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("a text of millions of parts is refused before it has cost much", () => {
  expect(() => readDocuments(`[${"1,".repeat(600_000)}]`)).toThrow("line 1: there are too many");
});
