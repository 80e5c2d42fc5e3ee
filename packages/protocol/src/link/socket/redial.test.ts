import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, it } from "vitest";
import { RedialPace } from "./redial-pace.ts";

it("dials slower and slower where connections are lost as soon as they are there, lane by lane", () => {
  const clock = createMovableClock(1_000_000);
  const pace = new RedialPace(clock);
  const attempts: number[] = [];
  for (let cut = 0; cut < 4; cut++) {
    attempts.push(pace.nextAttempt(0));
    pace.resumed(0, attempts.at(-1) ?? 0);
    clock.move(500);
  }
  expect(attempts).toEqual([0, 1, 2, 3]);
  expect(pace.nextAttempt(1)).toBe(0);
  clock.move(10_000);
  expect(pace.nextAttempt(0)).toBe(0);
});
