import { type ApiResource, resourceKey } from "@fairlead/kube";
import { expect, test } from "vitest";
import { chooseKinds, isExcluded, type KindChoice } from "./choose-kinds.ts";
import { defaultKinds } from "./default-kinds.ts";

const all: KindChoice = { include: [], exclude: [], namespaces: [] };

test("the default kinds are chosen of what the cluster has, and neither Secrets nor ConfigMaps are among them", () => {
  expect(chosen({})).toEqual(["nodes", "pods", "events", "deployments.apps", "applications.argoproj.io"]);
  expect(defaultKinds).not.toContain("secrets");
  expect(defaultKinds).not.toContain("configmaps");
  expect(new Set(defaultKinds).size).toBe(defaultKinds.length);
});

test("kinds are added and left out by name, by group, and all at once", () => {
  expect(chosen({ include: ["configmaps"], exclude: ["pods", "events"] })).toEqual([
    "nodes",
    "deployments.apps",
    "applications.argoproj.io",
    "configmaps",
  ]);
  expect(chosen({ include: ["*.example.com"], exclude: ["*"] })).toEqual(["things.example.com", "others.example.com"]);
  expect(chosen({ include: ["*.example.com"], exclude: ["*", "others.example.com"] })).toEqual(["things.example.com"]);
  expect(chosen({ exclude: ["*.apps"] })).not.toContain("deployments.apps");
  expect(chosen({ include: ["pods"], exclude: ["pods"] })).not.toContain("pods");
});

test("what can't be listed and watched isn't chosen, and events come once", () => {
  const keys = chosen({ include: ["*"] });
  expect(keys).not.toContain("tokenreviews.authentication.k8s.io");
  expect(keys).not.toContain("events.events.k8s.io");
  expect(keys).toContain("secrets");
});

test("with namespaces nothing of the cluster as a whole is chosen", () => {
  expect(chosen({ namespaces: ["team-a"] })).not.toContain("nodes");
});

test.each([
  ["by its name", "addons.fairlead.dev"],
  ["by its group", "*.fairlead.dev"],
  ["by a group below it", "*.more.fairlead.dev"],
  ["with everything", "*"],
])("a kind that the cluster defines in Fairlead's own group isn't chosen, also %s", (_how, pattern) => {
  const own = [
    resource("addons", "fairlead.dev"),
    resource("things", "more.fairlead.dev"),
    resource("ships", "notfairlead.dev"),
  ];
  const keys = chooseKinds(own, { ...all, include: [pattern] }).map(resourceKey);
  expect(keys).toEqual(pattern === "*" ? ["ships.notfairlead.dev"] : []);
});

test("a kind counts as excluded when somebody said so, and not when nobody named it", () => {
  const roles = resource("roles", "rbac.authorization.k8s.io");
  expect(isExcluded(roles, all)).toBe(false);
  expect(isExcluded(roles, { ...all, exclude: ["*"] })).toBe(true);
  expect(isExcluded(roles, { ...all, exclude: ["*"], include: ["roles.rbac.authorization.k8s.io"] })).toBe(false);
});

function chosen(choice: Partial<KindChoice>): string[] {
  return chooseKinds(cluster, { ...all, ...choice }).map(resourceKey);
}

const cluster: ApiResource[] = [
  resource("things", "example.com"),
  resource("others", "example.com"),
  resource("applications", "argoproj.io"),
  resource("deployments", "apps"),
  resource("tokenreviews", "authentication.k8s.io", { verbs: ["create"] }),
  resource("events", "events.k8s.io"),
  resource("secrets"),
  resource("configmaps"),
  resource("events"),
  resource("pods"),
  resource("nodes", "", { namespaced: false }),
];

function resource(plural: string, group = "", other: Partial<ApiResource> = {}): ApiResource {
  const names = { kind: plural, singular: plural, shortNames: [], categories: [] };
  const verbs = ["get", "list", "watch"];
  return { group, version: "v1", resource: plural, namespaced: true, verbs, ...names, ...other };
}
