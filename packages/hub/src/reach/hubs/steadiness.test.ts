import { expect, it } from "vitest";
import { createSteadiness } from "./steadiness.ts";

it.each<[name: string, beatsAtSeconds: readonly number[], canTell: boolean]>([
  ["has just come", [0], false],
  ["has beaten for less than others may be late", [0, 2, 4, 6, 7], false],
  ["has beaten in time for long", [0, 2, 4, 6, 8], true],
  ["was as late as that twice", [0, 3, 6, 9], true],
  ["stood still for five seconds together with its database", [0, 2, 4, 6, 8, 13], false],
  ["has beaten since then for less than others may be late", [0, 2, 4, 6, 8, 13, 15, 17, 19], false],
  ["has beaten since then for long", [0, 2, 4, 6, 8, 13, 15, 17, 19, 21], true],
])("a hub that %s", (_name, beatsAtSeconds, canTell) => {
  const steadiness = createSteadiness();
  const answers = beatsAtSeconds.map((at) => steadiness.note(at * 1_000));
  expect(answers.at(-1)).toBe(canTell);
});

it("a hub whose beat failed begins anew", () => {
  const steadiness = createSteadiness();
  for (const at of [0, 2, 4, 6, 8]) steadiness.note(at * 1_000);
  steadiness.lose();
  expect(steadiness.note(9_000)).toBe(false);
});
