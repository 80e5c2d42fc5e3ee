import { array, assert as check, integer, property, record } from "fast-check";
import { expect, it } from "vitest";
import { createLearntTime } from "./store-time.ts";

it("is never further from the database's clock than the quickest answer took, however slow others are", () => {
  const answer = record({
    atMs: integer({ min: 0, max: 10 ** 6 }),
    thereMs: integer({ min: 0, max: 5_000 }),
    backMs: integer({ min: 0, max: 5_000 }),
  });
  const answers = array(answer, { minLength: 1, maxLength: 30 });
  check(
    property(integer({ min: -600_000, max: 600_000 }), answers, (offsetMs, all) => {
      const time = createLearntTime();
      for (const { atMs, thereMs, backMs } of all) {
        time.learn({ askedMs: atMs, answeredMs: atMs + thereMs + backMs, storeMs: atMs + thereMs + offsetMs });
      }
      const quickestMs = Math.min(...all.map(({ thereMs, backMs }) => thereMs + backMs));
      expect(Math.abs(time.toStored(0) - offsetMs)).toBeLessThanOrEqual(quickestMs);
      expect(time.fromStored(new Date(time.toStored(1_000_000)))).toBe(1_000_000);
    }),
  );
});

it("follows a clock that was set to another time", () => {
  const time = createLearntTime();
  time.learn({ askedMs: 1_000, answeredMs: 1_010, storeMs: 5_000 });
  time.learn({ askedMs: 2_000, answeredMs: 2_010, storeMs: 1_005 });
  expect(Math.abs(time.toStored(2_000) - 1_000)).toBeLessThanOrEqual(10);
});
