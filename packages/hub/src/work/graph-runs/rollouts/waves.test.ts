import type { RolloutWave } from "@fairlead/contract";
import { expect, test } from "vitest";
import { planWaves } from "./waves.ts";

const chosen = ["a", "b", "c", "d", "e"].map((name) => ({ name, labels: { env: name < "c" ? "test" : "prod" } }));

test.each<[what: string, waves: RolloutWave[] | undefined, expected: string]>([
  ["no waves", undefined, "abcde"],
  ["one, then the rest", [{ size: 1 }], "a bcde"],
  ["a number, a part of all, the rest", [{ size: 1 }, { size: "30%" }], "a bc de"],
  ["a part that is less than one", [{ size: "1%" }], "a bcde"],
  ["more than there are", [{ size: 3 }, { size: 9 }, { size: 1 }], "abc de"],
  ["all of them", [{ size: "100%" }], "abcde"],
  ["labels", [{ selector: "env in (prod)" }], "cde ab"],
  ["labels of what is left", [{ clusters: ["d"] }, { selector: "env=prod" }, { size: 1 }], "d ce a b"],
  ["labels that none has", [{ selector: "env=none" }, { size: 2 }], "ab cde"],
  ["names, each once", [{ clusters: ["e", "b", "e"] }], "eb acd"],
])("waves by %s", (_what, waves, expected) => {
  const planned = planWaves(chosen, waves);
  const byWave = Map.groupBy(planned, ({ wave }) => wave);
  const written = [...byWave.values()].map((ofWave) => ofWave.map(({ cluster }) => cluster).join(""));
  expect(written.join(" ")).toBe(expected);
  expect([...byWave.keys()]).toEqual(written.map((_, index) => index + 1));
});

test.each<[what: string, waves: RolloutWave[], code: string]>([
  ["a cluster that isn't meant", [{ clusters: ["z"] }], "ROLLOUT_WAVE_UNKNOWN"],
  ["a cluster twice", [{ size: 1 }, { clusters: ["a"] }], "ROLLOUT_WAVE_UNKNOWN"],
  ["labels that are none", [{ selector: "a=b=c" }], "OBJECTS_SELECTOR_INVALID"],
])("waves with %s are refused", (_what, waves, code) => {
  expect(() => planWaves(chosen, waves)).toThrow(expect.objectContaining({ code }));
});
