import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, it } from "vitest";
import { Pace } from "./pace.ts";

it("lets a burst through, then one in every so often, whichever way the clock is set", () => {
  const clock = createMovableClock(1_000_000);
  const pace = new Pace({ burst: 3, everyMs: 1_000, clock });
  const takeAll = (): number => {
    let taken = 0;
    while (pace.take()) taken++;
    return taken;
  };
  expect(takeAll()).toBe(3);
  clock.move(2_000);
  expect(takeAll()).toBe(2);
  clock.move(-500_000);
  expect(takeAll()).toBe(0);
  clock.move(1_000);
  expect(takeAll()).toBe(1);
  clock.move(1_000_000);
  expect(takeAll()).toBe(3);
});
