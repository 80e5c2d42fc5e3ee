import { expect, it } from "vitest";
import { Pace } from "./pace.ts";

it("lets a burst through, then one in every so often, whichever way the clock is set", () => {
  let nowMs = 1_000_000;
  const pace = new Pace({ burst: 3, everyMs: 1_000, clock: { now: () => nowMs, after: () => () => undefined } });
  const takeAll = (): number => {
    let taken = 0;
    while (pace.take()) taken++;
    return taken;
  };
  expect(takeAll()).toBe(3);
  nowMs += 2_000;
  expect(takeAll()).toBe(2);
  nowMs -= 500_000;
  expect(takeAll()).toBe(0);
  nowMs += 1_000;
  expect(takeAll()).toBe(1);
  nowMs += 1_000_000;
  expect(takeAll()).toBe(3);
});
