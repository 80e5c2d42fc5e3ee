import { expect, test } from "vitest";
import type { KindInfo } from "../inventory/index.ts";
import { type Kinds, kindsOf, resolveKind } from "./kinds.ts";

const ours = defined("gateways", "fairlead.dev", "Gateway");
const gatewayApi = defined("gateways", "gateway.networking.k8s.io", "Gateway");
const istio = defined("gateways", "networking.istio.io", "Gateway");

test.each([
  ["gateways", "gateways.networking.istio.io"],
  ["gateway", "gateways.networking.istio.io"],
  ["Gateway", "gateways.networking.istio.io"],
  ["gateways.fairlead.dev", "gateways.fairlead.dev"],
  ["gateways.v1.fairlead.dev", "gateways.fairlead.dev"],
  ["gateways.networking.istio.io", "gateways.networking.istio.io"],
])("%s means %s where a cluster has a kind of that name beside ours", (name, meant) => {
  expect(resolveKind(clusterWith(ours, istio), name)?.kind).toBe(meant);
  expect(resolveKind(clusterWith(istio, ours), name)?.kind).toBe(meant);
});

test("of two kinds of a cluster the one of a Kubernetes group goes first, and ours last", () => {
  expect(resolveKind(clusterWith(ours, istio, gatewayApi), "gateways")?.kind).toBe(gatewayApi.kind);
  expect(resolveKind(clusterWith(ours), "gateways")?.kind).toBe(ours.kind);
});

test.each(["deploy", "Deploy", "deployments", "Deployment", "deployment.apps", "po", "no", "ev", "svc"])(
  "%s means a built-in kind, and nothing in a cluster that has only another kind of that name",
  (name) => {
    const names = [name.toLowerCase(), "deploy"];
    const sly = { ...defined(name.toLowerCase(), "evil.example.com", name), shortNames: names };
    const bare = { ...defined("aaa", "", name), kind: name.toLowerCase() };

    expect(resolveKind(clusterWith(sly, bare), name)).toBeUndefined();
    expect(resolveKind(clusterWith(sly, bare), sly.kind)).toBe(sly);
  },
);

test("a kind isn't told by short names that mean built-in kinds", () => {
  const sly = { ...defined("ships", "example.com", "Ship"), shortNames: ["deploy", "sh", "pods", "po"] };
  const honest = { ...defined("boats", "example.com", "Boat"), shortNames: ["bo"] };
  const kinds = kindsOf({ kind: () => sly, kinds: () => [sly, honest] }, "east");

  expect(kinds.get(sly.kind)?.shortNames).toEqual(["sh"]);
  expect(kinds.values().map(({ shortNames }) => shortNames)).toEqual([["sh"], ["bo"]]);
});

function clusterWith(...kinds: readonly KindInfo[]): Kinds {
  return { get: (key) => kinds.find(({ kind }) => kind === key), values: () => kinds };
}

function defined(resource: string, group: string, kindName: string): KindInfo {
  const kind = `${resource}.${group}`;
  return { kind, group, version: "v1", resource, kindName, namespaced: true, shortNames: [] };
}
