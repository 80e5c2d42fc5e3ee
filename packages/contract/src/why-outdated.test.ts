import { expect, test } from "vitest";
import { whyOutdated } from "./why-outdated.ts";

test.each([
  ["nobody has chosen anything, and the agent was told nothing", 0, 0, undefined],
  ["the newest", 4, 4, undefined],
  ["an older one", 3, 4, "examined with generation 3 of the profile; 4 is asked for"],
  [
    "a newer one, as after the hub's database was put back",
    5,
    4,
    "examined with generation 5 of the profile; 4 is asked for",
  ],
  ["none yet, or by an agent that can't be told", 0, 1, "examined with generation 0 of the profile; 1 is asked for"],
  ["one of a time before the cluster was made anew", 2, 0, "examined with generation 2 of the profile; 0 is asked for"],
  ["nothing that is said", undefined, 0, "examined with an unknown generation of the profile; 0 is asked for"],
  ["a text", "4", 4, "examined with an unknown generation of the profile; 4 is asked for"],
  ["half a generation", 0.5, 4, "examined with an unknown generation of the profile; 4 is asked for"],
  ["no number", Number.NaN, 4, "examined with an unknown generation of the profile; 4 is asked for"],
] as const)("a verdict made with %s", (_what, made, asked, why) => {
  expect(whyOutdated({ made, asked })).toBe(why);
});
