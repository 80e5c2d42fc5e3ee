import { expect, test } from "vitest";
import { Backoff } from "./backoff.ts";

test("the first retry is immediate, later ones grow to the cap, and a reset starts over", () => {
  const backoff = new Backoff({ baseMs: 500, maxMs: 30_000, random: () => 0.999999 });
  const waits = Array.from({ length: 10 }, () => backoff.nextMs());
  expect(waits).toEqual([0, 499, 999, 1999, 3999, 7999, 15999, 29999, 29999, 29999]);
  backoff.reset();
  expect(backoff.nextMs()).toBe(0);
});

test("the jitter is full: a wait can be anything down to zero", () => {
  const backoff = new Backoff({ baseMs: 500, maxMs: 30_000, random: () => 0 });
  backoff.nextMs();
  expect(backoff.nextMs()).toBe(0);
});
