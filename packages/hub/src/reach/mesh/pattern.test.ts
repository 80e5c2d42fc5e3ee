import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, test } from "vitest";
import { compilePattern, type MeshPattern } from "./pattern.ts";

const clock = createMovableClock(0);

test("the whole identity must match, and its groups say cluster and role", () => {
  const pattern = compile("spiffe://x/(?<cluster>[a-z]+)/(?<role>[a-z]+)");
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
  const pattern = compile("a-(?<cluster>east)|b-.*");
  expect(pattern.read("a-east")).toEqual({ cluster: "east", role: undefined });
  expect(pattern.read("a-east-and-more")).toBeUndefined();
  // It matches, and names no cluster.
  expect(pattern.read("b-anything")).toBeUndefined();
});

test("a pattern that tries ways without end is given up, and works again for the next identity", () => {
  const pattern = compile(endless);
  expect(pattern.read(hostile)).toBeUndefined();
  expect(pattern.read("aab")).toEqual({ cluster: "b", role: undefined });
});

test("an identity costs its time once a minute, however often it comes", () => {
  const pattern = compile(endless);
  const cpu = process.cpuUsage();
  for (let i = 0; i < 10_000; i++) expect(pattern.read(hostile)).toBeUndefined();
  // Each look takes a second.
  expect(process.cpuUsage(cpu).user / 1_000).toBeLessThan(100_000);
  clock.move(61_000);
  expect(pattern.read(hostile)).toBeUndefined();
});

test("many identities are read right, whatever is remembered of them", () => {
  const pattern = compilePattern("(?<cluster>c[0-9]+)", { clock, mostKnown: 10 });
  for (let i = 0; i < 50; i++) expect(pattern.read(`c${i}`)?.cluster).toBe(`c${i}`);
  expect(pattern.read("c0")?.cluster).toBe("c0");
});

function compile(source: string): MeshPattern {
  return compilePattern(source, { clock });
}

const endless = "(?:a|a)+(?<cluster>b)";
const hostile = "a".repeat(200);
