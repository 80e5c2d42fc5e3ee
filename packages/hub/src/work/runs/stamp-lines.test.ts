import { expect, test } from "vitest";
import { takeApart } from "./arrivals.ts";
import { createLineStamper } from "./stamp-lines.ts";

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

test("a piece is taken apart where bytes came later", () => {
  const parts = (offset: number, ...arrivals: readonly [number, number][]) =>
    [
      ...takeApart(
        Buffer.from("abcdef"),
        offset,
        arrivals.map(([start, second]) => ({ start, at: at(second) })),
      ),
    ].map((part) => [Buffer.from(part.bytes).toString(), part.at?.getUTCSeconds()]);
  expect(parts(0)).toEqual([["abcdef", undefined]]);
  expect(parts(0, [0, 1], [2, 2], [4, 3])).toEqual([
    ["ab", 1],
    ["cd", 2],
    ["ef", 3],
  ]);
  expect(parts(10, [3, 1], [12, 2])).toEqual([
    ["ab", 1],
    ["cdef", 2],
  ]);
  expect(parts(10, [12, 2])).toEqual([
    ["ab", undefined],
    ["cdef", 2],
  ]);
});

test("each line has the time of its beginning, also when it came in parts", () => {
  const stamp = createLineStamper();
  const text = [
    stamp({ bytes: Buffer.from("old\n"), at: undefined }),
    stamp({ bytes: Buffer.from("one\ntw"), at: at(1) }),
    stamp({ bytes: Buffer.from("o\n\nthree"), at: at(2) }),
    stamp({ bytes: Buffer.from("\n"), at: at(3) }),
  ].map((bytes) => Buffer.from(bytes).toString());
  const [one, two] = ["2026-01-01T00:00:01.000Z", "2026-01-01T00:00:02.000Z"];
  expect(text.join("")).toBe(`old\n${one} one\n${one} two\n${two} \n${two} three\n`);
});
