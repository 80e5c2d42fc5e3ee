import { expect, test } from "vitest";
import type { Survey } from "../survey/survey.ts";
import { decodeInventory, encodeInventory } from "./inventory.ts";
import { nextInventory, widestInventory } from "./next-inventory.ts";

const named = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", namespace: "n", name });
const keyOf = (name: string) => `/ConfigMap/n/${name}`;

test("an inventory is read as it was written", () => {
  const entries = [{ ...named("a"), uid: "1" }, named("b"), { apiVersion: "apps/v1", kind: "Deployment", name: "c" }];
  expect(decodeInventory(encodeInventory(entries))).toEqual(entries);
  expect(decodeInventory(encodeInventory([]))).toEqual([]);
});

test.each([undefined, "", "{}", "[1]", '[["v1","ConfigMap","n"]]', '[["v1","ConfigMap","n","",""]]', "[[1,2,3,4,5]]"])(
  "%s is no inventory",
  (text) => {
    expect(decodeInventory(text)).toBeUndefined();
  },
);

const survey: Survey = {
  targets: [
    { ...named("had"), before: { uid: "1", resourceVersion: "1" } },
    { ...named("adopted"), before: { uid: "2", resourceVersion: "1" } },
    named("new"),
    named("never-begun"),
  ],
  leftovers: [
    { ...named("pruned"), uid: "5", fate: { type: "prune" } },
    { ...named("stuck"), uid: "6", fate: { type: "prune" } },
    { ...named("kept"), uid: "7", fate: { type: "keep", message: "" } },
    { ...named("released"), uid: "8", fate: { type: "release", message: "", isReplaced: false } },
  ],
  makesNamespace: false,
};
const known = [
  { ...named("had"), uid: "1" },
  ...survey.leftovers.map(({ name, uid = "" }) => ({ ...named(name), uid })),
];

test("while a run is under way all is in it that the set had or may make; nothing of others by its uid", () => {
  expect(widestInventory(survey, known)).toEqual([
    { ...named("had"), uid: "1" },
    named("adopted"),
    named("new"),
    named("never-begun"),
    { ...named("pruned"), uid: "5" },
    { ...named("stuck"), uid: "6" },
    { ...named("kept"), uid: "7" },
  ]);
});

test("after a run it has what was applied, what may have been, and what couldn't be deleted", () => {
  const outcome = (name: string, did: "failed" | "deleted") => [keyOf(name), { ...named(name), did }] as const;
  const outcomes = new Map([outcome("new", "failed"), outcome("pruned", "deleted"), outcome("stuck", "failed")]);
  const uids = new Map([
    [keyOf("had"), "1"],
    [keyOf("adopted"), "2"],
  ]);
  expect(nextInventory({ survey, known, outcomes, uids })).toEqual([
    { ...named("had"), uid: "1" },
    { ...named("adopted"), uid: "2" },
    named("new"),
    { ...named("stuck"), uid: "6" },
    { ...named("kept"), uid: "7" },
  ]);
});
