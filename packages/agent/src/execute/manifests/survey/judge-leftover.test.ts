import { expect, test } from "vitest";
import { judgeLeftover } from "./judge-leftover.ts";

const entry = { apiVersion: "v1", kind: "ConfigMap", namespace: "n", name: "x", uid: "1" };
const { uid: _uid, ...unknown } = entry;
const marked = (set: string) => ({ "fairlead.dev/set": set });

test.each([
  ["its uid is the recorded one", { entry, found: { uid: "1" } }, "prune"],
  ["somebody made it anew", { entry, found: { uid: "2", annotations: marked("n/mine") } }, "release"],
  ["another set took it over", { entry, found: { uid: "1", annotations: marked("n/other") } }, "release"],
  ["it says keep", { entry, found: { uid: "1", annotations: { "fairlead.dev/prune": "keep" } } }, "keep"],
  ["prune is off", { entry, found: { uid: "1" }, isPruning: false }, "keep"],
  ["a lost run made it", { entry: unknown, found: { uid: "1", annotations: marked("n/mine") } }, "prune"],
  ["nobody knows who made it", { entry: unknown, found: { uid: "1" } }, "release"],
] as const)("when %s: %s", (_when, options, type) => {
  expect(judgeLeftover({ mark: "n/mine", isPruning: true, ...options }).type).toBe(type);
});
