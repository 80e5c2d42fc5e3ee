import { expect, test } from "vitest";
import { deriveTraceParent, findTraceParent, parseTraceParent, replaceTraceParent } from "./trace-parent.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

test.each([
  ["a sampled parent", `00-${traceId}-${spanId}-01`, true],
  ["an unsampled parent", `00-${traceId}-${spanId}-00`, false],
  ["flags beyond the first bit", `00-${traceId}-${spanId}-03`, true],
  ["a later version with more fields", `cc-${traceId}-${spanId}-01-what-comes-next`, true],
])("reads %s", (_, text, isSampled) => {
  expect(parseTraceParent(text)).toEqual({ traceId, spanId, isSampled });
});

test.each([
  ["nothing", undefined],
  ["an empty text", ""],
  ["upper case", `00-${traceId.toUpperCase()}-${spanId}-01`],
  ["the version that can't be", `ff-${traceId}-${spanId}-01`],
  ["more fields than version 00 has", `00-${traceId}-${spanId}-01-more`],
  ["a trace of zeros", `00-${"0".repeat(32)}-${spanId}-01`],
  ["a span of zeros", `00-${traceId}-${"0".repeat(16)}-01`],
  ["a short trace", `00-${traceId.slice(1)}-${spanId}-01`],
  ["two values in one header", `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
  ["a long tail", `cc-${traceId}-${spanId}-01-${"x".repeat(10_000)}`],
])("ignores %s", (_, text) => {
  expect(parseTraceParent(text)).toBeUndefined();
});

test("a key names the same parent everywhere, and the ratio decides whether it is sampled", () => {
  expect(deriveTraceParent("one", 1)).toBe(deriveTraceParent("one", 1));
  expect(parseTraceParent(deriveTraceParent("one", 1))?.isSampled).toBe(true);
  expect(parseTraceParent(deriveTraceParent("one", 0))?.isSampled).toBe(false);
  const sampled = Array.from({ length: 1_000 }, (_, index) => deriveTraceParent(`key ${index}`, 0.25));
  const count = sampled.filter((text) => parseTraceParent(text)?.isSampled).length;
  expect(count).toBeGreaterThan(150);
  expect(count).toBeLessThan(350);
});

test("the header goes on once, with the parent of the next hop, whatever came", () => {
  const lines = ["Accept", "*/*", "TraceParent", "first", "traceparent", "second", "X-Other", "1"];
  expect(findTraceParent(lines)).toBe("first");
  expect(findTraceParent(["Accept", "*/*"])).toBeUndefined();
  expect(replaceTraceParent(lines, undefined)).toBe(lines);
  expect(replaceTraceParent(lines, { traceParent: "next" })).toEqual([
    "Accept",
    "*/*",
    "X-Other",
    "1",
    "traceparent",
    "next",
  ]);
});
