import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, test } from "vitest";
import { createFlows, noKube, scriptedStep as step } from "./flows.fixture.ts";
import { timeLeftMs } from "./time-left.ts";

const hour = 3_600_000;

test.each([25, -25])("scenario 7: a clock that is set by %i hours ends no step, and lengthens none", async (hours) => {
  const clock = createMovableClock(1e12);
  const flows = createFlows({ kube: noKube, namespace: "shop" });
  const ends: boolean[] = [];
  flows.scripted.does = ({ signal }) => {
    clock.set(hours * hour);
    clock.move(59_000);
    ends.push(signal.aborted);
    clock.move(1_000);
    ends.push(signal.aborted);
    return { json: {} };
  };
  await flows.run({ ...flows.task([step("a", {}, { timeoutSeconds: 60 })]), clock });
  expect(ends).toEqual([false, true]);
});

// Another agent, by the hub's time. A hub's clock that was set back gives no more than the whole time.
test.each([
  [0, 60_000],
  [20_000, 40_000],
  [25 * hour, 0],
  [-25 * hour, 60_000],
])("a step that goes on after %i ms has %i of its 60,000 ms left", (laterMs, leftMs) => {
  const clock = createMovableClock(1e12 + laterMs);
  expect(timeLeftMs({ clock, beganAtMs: 1e12, timeoutMs: 60_000 })).toBe(leftMs);
});
