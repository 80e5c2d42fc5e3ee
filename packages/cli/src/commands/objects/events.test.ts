import type { KindInfo } from "@fairlead/contract";
import { expect, test } from "vitest";
import { findKindName } from "./events.ts";

const kinds = [
  kind("deployments.aaa.example.com", "Evil", { shortNames: ["deploy", "po"] }),
  kind("deployments.apps", "Deployment", { shortNames: ["deploy"], clusters: 9 }),
  kind("gateways.aaa.example.com", "Evil"),
  kind("gateways.gateway.networking.k8s.io", "Gateway"),
  kind("pods", "Pod", { shortNames: ["po"], clusters: 9 }),
  kind("ships.aaa.example.com", "Evil", { shortNames: ["sh"] }),
  kind("ships.example.com", "Ship", { shortNames: ["sh"], clusters: 2 }),
];

test.each([
  ["deploy", "Deployment"],
  ["deployments", "Deployment"],
  ["po", "Pod"],
  ["gateway", "Gateway"],
  ["gateways", "Gateway"],
  ["sh", "Ship"],
  ["ships.aaa.example.com", "Evil"],
  ["boats", undefined],
])("events for %s are those of the kind %s, whatever one cluster calls its own kinds", (name, kindName) => {
  expect(findKindName(kinds, name)).toBe(kindName);
});

function kind(key: string, kindName: string, more: Partial<KindInfo> = {}): KindInfo {
  return { kind: key, apiVersion: "v1", kindName, namespaced: true, shortNames: [], clusters: 1, objects: 1, ...more };
}
