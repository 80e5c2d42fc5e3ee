import { expect, test } from "vitest";
import type { KindInfo } from "../inventory/index.ts";
import { type Kinds, resolveKind } from "./kinds.ts";

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

function clusterWith(...kinds: readonly KindInfo[]): Kinds {
  return { get: (key) => kinds.find(({ kind }) => kind === key), values: () => kinds };
}

function defined(resource: string, group: string, kindName: string): KindInfo {
  const kind = `${resource}.${group}`;
  return { kind, group, version: "v1", resource, kindName, namespaced: true, shortNames: [] };
}
