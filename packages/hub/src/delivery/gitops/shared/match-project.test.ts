import { expect, test } from "vitest";
import { type ClusterTarget, matchesProject } from "./match-project.ts";

const east: ClusterTarget = { cluster: "east", mapping: "namespace", publicUrl: "https://hub.example" };
const everywhere = { namespace: "*" };

test.each([
  ["its name", [{ ...everywhere, name: "east" }], true],
  ["a pattern of its name", [{ ...everywhere, name: "ea*" }], true],
  ["another one's name", [{ ...everywhere, name: "west" }], false],
  ["one of several", [{ name: "west" }, { name: "east" }], true],
  ["each server", [{ ...everywhere, server: "*" }], true],
  ["its API at the hub", [{ server: "https://hub.example/k8s/clusters/east" }], true],
  [
    "its API at an inner address of the hub",
    [{ server: "https://fairlead-hub.fairlead.svc:8443/k8s/clusters/east/" }],
    true,
  ],
  ["a pattern of its API", [{ server: "https://hub.example/k8s/clusters/*" }], true],
  ["a pattern of the hub's address", [{ server: "https://hub.*" }], true],
  ["another one's API", [{ server: "https://hub.example/k8s/clusters/east-2" }], false],
  ["the hub's own cluster", [{ server: "https://kubernetes.default.svc" }], false],
  ["another one's name and each server", [{ name: "west", server: "*" }], false],
  ["nothing", [], false],
  ["a destination without name and server", [{ namespace: "shop" }], false],
  ["all but its name", [{ server: "*" }, { name: "!east" }], false],
  ["all but a pattern of its name", [{ name: "*" }, { name: "!ea*" }], false],
  ["all but another one's name", [{ name: "*" }, { name: "!west" }], true],
  ["no more than what it isn't", [{ name: "!west" }], false],
  ["all but its API", [{ name: "*" }, { server: "!https://hub.example/k8s/clusters/east" }], false],
  ["all but the hub's address", [{ name: "*" }, { server: "!https://hub.example/*" }], false],
  ["all but other servers", [{ name: "*" }, { server: "!https://team1-*" }], true],
  ["no server at all", [{ name: "*" }, { server: "!*" }], false],
  ["what can't be read", [{ name: "[east" }], false],
  ["all but what can't be read", [{ name: "*" }, { name: "![east" }], false],
])("a project for %s", (_what, destinations, isMatch) => {
  expect(matchesProject({ destinations, sourceNamespaces: ["east"] }, east)).toBe(isMatch);
});

test.each([
  [["east"], true],
  [["west", "ea*"], true],
  [["*"], true],
  [["west"], false],
  [[], false],
  [undefined, false],
  [["/^ea[s-t]+$/"], true],
  [["/^ast/"], false],
  [["/(/"], false],
  [["!east", "east"], true],
])("by namespace, a project that is open to %j", (sourceNamespaces, isMatch) => {
  const spec = { destinations: [{ name: "east" }], sourceNamespaces };
  expect(matchesProject(spec, east)).toBe(isMatch);
  expect(matchesProject(spec, { ...east, mapping: "destination" })).toBe(true);
});

test("a project whose fields aren't as they should be is for nobody", () => {
  expect(matchesProject({}, east)).toBe(false);
  expect(matchesProject({ destinations: [null, 1, { name: 2 }], sourceNamespaces: "east" }, east)).toBe(false);
});

test("without an address of the hub, a server counts by what is behind its host", () => {
  const unknown = { ...east, publicUrl: undefined };
  const forServer = (server: string) => ({ destinations: [{ server }], sourceNamespaces: ["*"] });
  expect(matchesProject(forServer("https://any/k8s/clusters/e*"), unknown)).toBe(true);
  expect(matchesProject(forServer("https://hub.*"), unknown)).toBe(false);
});
