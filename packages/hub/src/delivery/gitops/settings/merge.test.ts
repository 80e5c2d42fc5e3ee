import { usualGitopsRules as usual } from "@fairlead/contract";
import { expect, test } from "vitest";
import { mergeSettings, usualSettings } from "./merge.ts";

const byDestination = { mode: "managed", mapping: "destination", rules: { ...usual, guardMin: 9 } } as const;

test.each([
  ["a mode alone", usualSettings, { mode: "managed" }, { ...usualSettings, mode: "managed" }],
  ["one rule alone", byDestination, { rules: { adoption: "never" } }, { adoption: "never", guardMin: 9 }],
  ["a rule that is left open", byDestination, { rules: { guardMin: undefined } }, { guardMin: 9 }],
  ["nothing", byDestination, {}, byDestination],
  ["another mode", byDestination, { mode: "autonomous" }, { mode: "autonomous", mapping: "namespace" }],
  ["the same mode", byDestination, { mode: "managed" }, byDestination],
] as const)("what isn't told stays as it is: %s", (_, before, told, expected) => {
  const merged = mergeSettings(before, told);
  expect("mode" in expected || "rules" in expected ? merged : merged.rules).toMatchObject(expected);
});

test("the mapping by destination is refused where the cluster isn't managed", () => {
  const autonomous = { ...usualSettings, mode: "autonomous" } as const;
  expect(() => mergeSettings(autonomous, { mapping: "destination" })).toThrow(
    expect.objectContaining({ code: "GITOPS_REQUEST_INVALID" }),
  );
});
