import { expect, test } from "vitest";
import { LineSplitter } from "./split-lines.ts";

test("lines come out whole wherever the stream is cut", () => {
  const lines = ["first", "é – 日本", `{"long":"${"x".repeat(300)}"}`, "last"];
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  for (let sizeBytes = 1; sizeBytes <= bytes.length; sizeBytes++) {
    const splitter = new LineSplitter();
    const found: string[] = [];
    for (let at = 0; at < bytes.length; at += sizeBytes)
      found.push(...splitter.push(bytes.subarray(at, at + sizeBytes)));
    expect(found).toEqual(lines);
    expect(splitter.isMidLine).toBe(false);
  }
});

test("empty lines say nothing, and a line without its end is none", () => {
  const splitter = new LineSplitter();
  expect([...splitter.push(Buffer.from("\n\na\n\nb"))]).toEqual(["a"]);
  expect(splitter.isMidLine).toBe(true);
});

test("a line of 2 MB passes, one beyond the bound is refused before it is whole", () => {
  const megabyte = Buffer.alloc(1_000_000, "x");
  const splitter = new LineSplitter(2_500_000);
  expect([...splitter.push(megabyte), ...splitter.push(megabyte)]).toEqual([]);
  expect([...splitter.push(Buffer.from("\n"))].map(({ length }) => length)).toEqual([2_000_000]);
  expect(() => {
    for (let count = 0; count < 3; count++) expect([...splitter.push(megabyte)]).toEqual([]);
  }).toThrow(expect.objectContaining({ code: "KUBE_ANSWER_TOO_LARGE" }));
});
