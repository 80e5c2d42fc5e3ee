import { expect, it } from "vitest";
import { createChance } from "./chance.ts";
import { drawFaults } from "./draw-faults.ts";

const kinds = ["killed", "cut", "full", "stepped", "restored"];

it("each kind of fault comes once before any comes twice, in another order with another seed", () => {
  const orders = new Set<string>();
  for (let seed = 0; seed < 50; seed++) {
    const drawing = drawFaults(kinds, createChance(seed));
    for (let round = 0; round < 3; round++) {
      const drawn = kinds.map(() => drawing.next().value);
      expect(drawn.toSorted()).toEqual(kinds.toSorted());
      orders.add(drawn.join());
    }
  }
  expect(orders.size).toBeGreaterThan(50);
});

it("the same seed draws the same", () => {
  const [one, other] = [drawFaults(kinds, createChance(7)), drawFaults(kinds, createChance(7))];
  for (let turn = 0; turn < 20; turn++) expect(one.next()).toEqual(other.next());
});
