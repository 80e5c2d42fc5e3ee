import { expect, test } from "vitest";
import type { Manifest } from "../types.ts";
import { orderByWave, orderForDeletion } from "./tiers.ts";

function manifest(apiVersion: string, kind: string, wave = 0): Manifest {
  return { object: { apiVersion, kind, metadata: { name: kind } }, where: "", wave };
}

test("what others need comes first, kinds of others' groups after the built-in ones, and what redirects requests last", () => {
  const manifests = [
    manifest("apiregistration.k8s.io/v1", "APIService"),
    manifest("example.com/v1", "Widget"),
    manifest("serving.knative.dev/v1", "Service"),
    manifest("apps/v1", "Deployment"),
    manifest("v1", "Service"),
    manifest("v1", "ConfigMap"),
    manifest("v1", "Namespace"),
    manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
  ];
  const [wave] = orderByWave(manifests);
  expect(wave?.tiers.map((tier) => tier.map(({ object }) => object.kind))).toEqual([
    ["Namespace", "CustomResourceDefinition"],
    ["ConfigMap"],
    ["Service"],
    ["Deployment"],
    ["Widget", "Service"],
    ["APIService"],
  ]);
  const deleted = orderForDeletion(manifests.map(({ object }) => object)).map((tier) => tier[0]?.kind);
  expect(deleted).toEqual(["APIService", "Widget", "Deployment", "Service", "ConfigMap", "Namespace"]);
});

test("waves go by number, whatever the kinds in them", () => {
  const waves = orderByWave([manifest("v1", "Namespace", 10), manifest("v1", "Pod", -1), manifest("v1", "Secret", 2)]);
  expect(waves.map(({ wave }) => wave)).toEqual([-1, 2, 10]);
});
