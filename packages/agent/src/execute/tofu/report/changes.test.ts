import { expect, test } from "vitest";
import { compare, eachSensitive } from "./changes.ts";

test.each([
  [{ before: { a: 1, b: "x" }, after: { a: 2, b: "x" } }, [{ path: "a", from: 1, to: 2 }]],
  [{ before: null, after: { a: [1] } }, [{ path: "a[0]", to: 1 }]],
  [{ before: { a: [1, 2] }, after: { a: [1] } }, [{ path: "a[1]", from: 2 }]],
  [{ before: { a: 1 }, after: null }, [{ path: "a", from: 1 }]],
  [{ before: { id: "x" }, after: {}, unknown: { id: true } }, [{ path: "id", from: "x", to: "(known after apply)" }]],
  [
    { before: { p: "old" }, after: { p: "new" }, beforeSensitive: {}, afterSensitive: { p: true } },
    [{ path: "p", from: "(sensitive)", to: "(sensitive)" }],
  ],
  [{ before: { p: "same" }, after: { p: "same" }, beforeSensitive: { p: true }, afterSensitive: { p: true } }, []],
  // A value that was sensitive before stays masked.
  [
    { before: { p: "old" }, after: { p: "new" }, beforeSensitive: { p: true }, afterSensitive: {} },
    [{ path: "p", from: "(sensitive)", to: "(sensitive)" }],
  ],
  [
    { before: { l: [{ p: "old" }] }, after: { l: [{ p: "new" }] }, beforeSensitive: { l: true }, afterSensitive: {} },
    [{ path: "l", from: "(sensitive)", to: "(sensitive)" }],
  ],
  [
    { before: { a: { b: 1 } }, after: { a: "x" } },
    [
      { path: "a", to: "x" },
      { path: "a.b", from: 1 },
    ],
  ],
])("%j gives %j", (compared, changes) => {
  expect(compare(compared)).toEqual(changes);
});

test("each sensitive value is found", () => {
  const found: unknown[] = [];
  eachSensitive({ a: "1", b: { c: "2" }, d: ["3", "4"] }, { a: true, b: true, d: [false, true] }, (value) =>
    found.push(value),
  );
  expect(found).toEqual(["1", { c: "2" }, "4"]);
});
