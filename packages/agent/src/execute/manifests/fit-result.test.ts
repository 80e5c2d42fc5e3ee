import { expect, test } from "vitest";
import { fitResult } from "./fit-result.ts";
import type { Outcome } from "./types.ts";

function outcomes(count: number, more: (index: number) => Partial<Outcome> = () => ({})): Outcome[] {
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    namespace: "n",
    name: `c${index}`,
    did: "created" as const,
    ...more(index),
  }));
}

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

test("what fits is told whole", () => {
  const all = outcomes(3, () => ({ message: "m", code: "X", changes: [{ path: "a", to: 1 }] }));
  expect(fitResult(all)).toEqual({ objects: all });
});

test("changes go before messages, and messages before what was done", () => {
  const all = outcomes(10, () => ({
    code: "X",
    message: "m".repeat(50),
    changes: [{ path: "p", to: "v".repeat(300) }],
  }));
  const { objects, omitted } = fitResult(all, 2_000);
  expect(sizeOf(objects)).toBeLessThan(2_020);
  expect(omitted).toBeUndefined();
  expect(objects.map(({ name, code }) => [name, code])).toEqual(all.map(({ name, code }) => [name, code]));
  expect(objects.filter(({ changes }) => changes).length).toBeGreaterThan(0);
  expect(objects.filter(({ changes }) => !changes).length).toBeGreaterThan(0);
});

test("where not all objects fit, those that are unchanged are counted, and others only after them", () => {
  const all = outcomes(100, (index) => ({ did: index === 70 ? "failed" : "unchanged" }));
  expect(fitResult(all, 500)).toEqual({ objects: [all[70]], omitted: 99 });
  const many = fitResult(outcomes(100), 1_000);
  expect(many.objects.length + (many.omitted ?? 0)).toBe(100);
  expect(sizeOf(many.objects)).toBeLessThan(1_020);
});
