import { expect, test } from "vitest";
import { compilePattern } from "./pattern.ts";

test("the whole identity must match, and its groups say cluster and role", () => {
  const pattern = compilePattern("spiffe://x/(?<cluster>[a-z]+)/(?<role>[a-z]+)");
  expect(pattern.read("spiffe://x/east/proxy")).toEqual({ cluster: "east", role: "proxy" });
  for (const other of [
    "xspiffe://x/east/proxy",
    "spiffe://x/east/proxy/",
    "spiffe://x/east/proxy\n",
    "",
    "spiffe://x/",
  ])
    expect(pattern.read(other)).toBeUndefined();
});

test("alternatives are held to the whole, too", () => {
  const pattern = compilePattern("a-(?<cluster>east)|b-.*");
  expect(pattern.read("a-east")).toEqual({ cluster: "east", role: undefined });
  expect(pattern.read("a-east-and-more")).toBeUndefined();
  // It matches, and names no cluster.
  expect(pattern.read("b-anything")).toBeUndefined();
});

test("a pattern that tries ways without end is given up, and works again for the next one", () => {
  const pattern = compilePattern("(?:a+)+(?<cluster>b)");
  expect(pattern.read("a".repeat(200))).toBeUndefined();
  expect(pattern.read("aab")).toEqual({ cluster: "b", role: undefined });
});
