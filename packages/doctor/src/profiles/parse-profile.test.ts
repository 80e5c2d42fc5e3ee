import { describe, expect, test } from "vitest";
import { fairlead, parseProfile, profileErrors, profileJsonSchema, truefoundry } from "./index.ts";

test("a profile that extends a built-in one names only what differs", () => {
  const profile = parseProfile("name: mine\nextends: truefoundry\nargocd: { project: apps }\n", "mine.yaml");
  expect(profile).toEqual({
    ...truefoundry,
    name: "mine",
    argocd: { project: "apps", applicationNamespaces: ["*"] },
  });
});

test("lists and labels are replaced whole, pools field by field", () => {
  const profile = parseProfile(
    "name: mine\nextends: truefoundry\nnodePools: { critical: { labels: { tier: one } } }\nlogs: { streamFields: [pod] }",
    "mine.yaml",
  );
  expect(profile.logs).toEqual({ ...truefoundry.logs, streamFields: ["pod"] });
  expect(profile.nodePools.critical).toEqual({ ...truefoundry.nodePools.critical, labels: { tier: "one" } });
  expect(profile.nodePools.gpu).toEqual(truefoundry.nodePools.gpu);
});

test("a profile may stand by itself; JSON is YAML", () => {
  expect(parseProfile(JSON.stringify({ ...fairlead, name: "mine" }), "mine.json")).toEqual({
    ...fairlead,
    name: "mine",
  });
});

describe("a mistake is named with its line and column, and with what is expected", () => {
  const head = "name: mine\nextends: fairlead\n";
  test.each([
    [
      "a slip in a name",
      `${head}argocd:\n  projekt: x\n`,
      "4:3: argocd has no field 'projekt'; did you mean 'project'?",
    ],
    [
      "a slip in a section",
      `${head}nodepools: {}\n`,
      "3:1: the profile has no field 'nodepools'; did you mean 'nodePools'?",
    ],
    [
      "a field that is like none",
      `${head}storage: { zzzzzzzz: 1 }`,
      "3:12: storage has no field 'zzzzzzzz'; expected one of 'wantsEncryption', 'ebsType'",
    ],
    ["a text for a list", `${head}baseDomains: example.com`, "3:1: baseDomains: expected a list"],
    ["a number for a text", `${head}argocd: { project: 7 }`, "3:11: argocd.project: expected a text"],
    ["a text for a section", `${head}argocd: yes please`, "3:1: argocd: expected a map"],
    ["half a day", `${head}logs: { retentionDays: 1.5 }`, "3:9: logs.retentionDays: expected a whole number"],
    ["no day at all", `${head}logs: { retentionDays: 0 }`, "3:9: logs.retentionDays: expected at least 1"],
    [
      "an unknown effect",
      `${head}nodePools:\n  gpu:\n    architectures: []\n    capacityTypes: []\n    labels: {}\n    taints:\n      - { key: a, effect: No }`,
      "9:19: nodePools.gpu.taints.0.effect: expected one of 'NoSchedule', 'PreferNoSchedule', 'NoExecute'",
    ],
    [
      "half a new pool",
      `${head}nodePools: { gpu: { labels: {} } }`,
      "3:14: nodePools.gpu.architectures: expected a list",
    ],
    ["no name", "extends: fairlead", "1:1: name: expected a text"],
    [
      "the name of a built-in one",
      "name: fairlead\nextends: fairlead",
      "1:1: name: expected a name that no built-in profile has",
    ],
    ["an unknown base", "name: mine\nextends: farlead", "2:1: extends: expected one of 'fairlead', 'truefoundry'"],
    ["no base, and half of the fields", "name: mine\n", "1:1: argocd: expected a map"],
    ["a list", "- name", "1:1: expected a map with the fields of a profile"],
    ["nothing", "", "1:1: expected a map with the fields of a profile"],
    ["a field twice", "name: a\nname: b\n", "2:1: Map keys must be unique"],
    ["a broken line", "name: [a\n", "2:1: "],
    ["an anchor that isn't there", "name: *a", "1:1: it refers to an anchor too often, or to one that isn't there"],
  ])("%s", (_, text, message) => {
    expect(() => parseProfile(text, "my.yaml")).toThrow(`my.yaml:${message}`);
  });

  test("has a code", () => {
    expect(() => parseProfile("", "my.yaml")).toThrow(
      expect.toSatisfy((thrown) => profileErrors.is(thrown, "DOCTOR_PROFILE_INVALID")),
    );
  });
});

describe("a profile of anybody takes a bounded amount of memory and time", () => {
  const bomb = [
    "a: &a [x, x, x, x, x, x, x, x, x]",
    ..."bcdefgh".split("").map((name, index) => {
      const before = "abcdefgh"[index];
      return `${name}: &${name} [${Array(9).fill(`*${before}`).join(", ")}]`;
    }),
  ].join("\n");
  test.each([
    ["a long file", `name: ${"x".repeat(70_000)}`, "a profile has at most 65536 characters"],
    ["anchors that unfold", bomb, "it refers to an anchor too often"],
    [
      "a long list",
      `name: mine\nextends: fairlead\nbaseDomains: [${"a,".repeat(300)}]`,
      "expected at most 200 entries",
    ],
    [
      "a long text",
      `name: mine\nextends: fairlead\nbaseDomains: [${"a".repeat(300)}]`,
      "expected at most 253 characters",
    ],
  ])("%s is refused", (_, text, message) => {
    expect(() => parseProfile(text, "my.yaml")).toThrow(message);
  });
});

test("the schema for editors knows each field of the built-in profiles, and no other", () => {
  const { properties } = profileJsonSchema as { readonly properties: Readonly<Record<string, unknown>> };
  expect(Object.keys(properties).toSorted()).toEqual([...Object.keys(truefoundry), "extends"].toSorted());
  expect(profileJsonSchema).toMatchObject({
    required: ["name"],
    additionalProperties: false,
    properties: { extends: { enum: ["fairlead", "truefoundry"] } },
  });
});
