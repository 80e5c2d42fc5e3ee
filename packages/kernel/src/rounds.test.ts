import { expect, it } from "vitest";
import { createRounds } from "./rounds.ts";

it("carries out the first call at once, and what comes meanwhile together, no more at once than it may", async () => {
  const rounds: number[][] = [];
  const gate = Promise.withResolvers<void>();
  const double = createRounds({
    most: 3,
    async run(items: readonly number[]) {
      rounds.push([...items]);
      await gate.promise;
      return items.map((item) => item * 2);
    },
  });
  const answers = [1, 2, 3, 4, 5].map(double);
  expect(rounds).toEqual([[1]]);
  gate.resolve();
  expect(await Promise.all(answers)).toEqual([2, 4, 6, 8, 10]);
  expect(rounds).toEqual([[1], [2, 3, 4], [5]]);
  expect(await double(6)).toBe(12);
});

it("fails for the one that can't be carried out, and for no other", async () => {
  const ask = createRounds({
    most: 10,
    async run(items: readonly string[]) {
      await Promise.resolve();
      if (items.includes("bad")) throw new Error(`no: ${items.length}`);
      return items;
    },
  });
  const asked = ["first", "good", "bad", "fine"].map((item) => ask(item));
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  await expect(asked[2]).rejects.toThrow("no: 1");
});

it("what is too large for company goes alone", async () => {
  const rounds: string[][] = [];
  const add = createRounds<string, string>({
    most: 3,
    sizeOf: (item) => item.length,
    mostSize: 4,
    async run(items) {
      rounds.push([...items]);
      await Promise.resolve();
      return items;
    },
  });
  await Promise.all(["a", "bb", "cc", "dddddddd", "e", "f", "g", "h"].map(add));
  expect(rounds).toEqual([["a"], ["bb", "cc"], ["dddddddd"], ["e", "f", "g"], ["h"]]);
});
