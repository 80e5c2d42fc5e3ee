import fc from "fast-check";
import { expect, it } from "vitest";
import { choosePositions } from "./choose-positions.ts";

it("takes as many as are wanted, in order, each once, and the last one among them", () => {
  const positions = fc.uniqueArray(fc.nat(), { minLength: 1 });
  fc.assert(
    fc.property(positions, fc.integer({ min: 1, max: 20 }), fc.nat(), (all, count, seed) => {
      const from = all.toSorted((a, b) => a - b);
      const chosen = choosePositions({ from, count, seed });
      expect(chosen).toHaveLength(Math.min(count, from.length));
      expect(from.filter((position) => chosen.includes(position))).toEqual(chosen);
      expect(chosen.at(-1)).toBe(from.at(-1));
    }),
  );
});

it("takes the same for the same seed, and others for another", () => {
  const from = Array.from({ length: 10_000 }, (_, index) => index);
  expect(choosePositions({ from, count: 10, seed: 1 })).toEqual(choosePositions({ from, count: 10, seed: 1 }));
  expect(choosePositions({ from, count: 10, seed: 1 })).not.toEqual(choosePositions({ from, count: 10, seed: 2 }));
});

it("has nothing to take from no positions", () => {
  expect(choosePositions({ from: [], count: 3, seed: 0 })).toEqual([]);
});
