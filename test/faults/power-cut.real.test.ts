// Everything that the hub has acknowledged is there again after a power cut, whenever that comes and whatever else
// survives.
import { expect, test } from "vitest";
import { runPowerCuts } from "../power-cut/index.ts";

test("a hub has after a power cut whatever it had acknowledged, and starts on a folder that it hadn't finished", {
  timeout: 300_000,
}, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { facts, cuts } = await runPowerCuts({ cuts: 6, rounds: 2, deedsEach: 6, seed });
  expect(facts).toBeGreaterThan(100);
  expect(cuts).toHaveLength(6);
  expect(
    cuts.filter(({ broken }) => broken.length > 0),
    `seed ${seed}`,
  ).toEqual([]);
});
