import { fairlead, truefoundry } from "@fairlead/doctor";
import { expect, test } from "vitest";
import { isSameOrder, readOrder, unlessTold } from "./order.ts";

test("a profile that somebody wrote is read by the agent itself, on top of its own built-in ones", () => {
  const content = "name: ours\nextends: truefoundry\nargocd: { project: apps }\n";
  const { generation, profile } = readOrder({ generation: 3n, profile: "ours", content });
  expect(generation).toBe(3);
  expect(profile).toEqual({ ...truefoundry, name: "ours", argocd: { ...truefoundry.argocd, project: "apps" } });
});

test("one that comes with Fairlead is the agent's own, and so is the one without a word of the hub", () => {
  expect(readOrder({ generation: 1n, profile: "truefoundry", content: "" }).profile).toBe(truefoundry);
  expect(unlessTold).toMatchObject({ generation: 0, profile: fairlead });
});

test.each([
  ["a built-in one that it doesn't have", "newest", "", "DOCTOR_PROFILE_UNKNOWN"],
  ["fields that it doesn't know", "ours", "name: ours\nextends: fairlead\nnewest: 1\n", "DOCTOR_PROFILE_INVALID"],
])("%s can't be used", (_what, profile, content, code) => {
  expect(() => readOrder({ generation: 1n, profile, content })).toThrow(expect.objectContaining({ code }));
});

test("what differs in anything is another order", () => {
  const order = { generation: 1n, profile: "ours", content: "a" };
  expect(isSameOrder(order, { ...order })).toBe(true);
  for (const other of [{ generation: 2n }, { profile: "theirs" }, { content: "b" }])
    expect(isSameOrder(order, { ...order, ...other })).toBe(false);
});
