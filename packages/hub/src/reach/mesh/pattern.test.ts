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

test("a pattern whose ways grow with each character of an identity is as fast as any", () => {
  const pattern = compilePattern("(?:a|a)+(?<cluster>b)");
  const cpu = process.cpuUsage();
  for (let i = 0; i < 10; i++) expect(pattern.read("a".repeat(1_024))).toBeUndefined();
  // Tried one after the other, the ways of a single identity of 40 characters take minutes.
  expect(process.cpuUsage(cpu).user / 1_000).toBeLessThan(10_000);
  expect(pattern.read("aab")).toEqual({ cluster: "b", role: undefined });
});
