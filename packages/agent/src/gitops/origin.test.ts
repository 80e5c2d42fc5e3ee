import { expect, test } from "vitest";
import { type Placement, placeOf } from "./copy-kinds.ts";
import { makeCopy, type WantedCopy } from "./make-copy.ts";
import { isOfMapping, originOf } from "./origin.ts";

const byDestination = { mapping: "destination", remappedNamespaces: ["hub-argo", "east"] } as const;
const byNamespace = { mapping: "namespace", remappedNamespaces: [] } as const;

test.each([
  ["the cluster's on the hub, by namespace", byNamespace, "east", "argo", undefined],
  ["any other, by destination", byDestination, "team", "team", undefined],
  ["Argo CD's own on the hub, by destination", byDestination, "hub-argo", "argo", "hub-argo"],
  ["the cluster's on the hub, by destination", byDestination, "east", "argo", "east"],
  ["one with the name of Argo CD's own here, by destination", byDestination, "argo", "argo", "argo"],
] as const)("an application of %s has its place, and its copy tells from where it is", (_, mapping, from, at, told) => {
  const copy = copyOf(from, mapping);
  expect(copy.metadata.namespace).toBe(at);
  expect(copy.metadata.annotations?.[annotation]).toBe(told);
  expect(originOf(copy, placement(mapping))).toEqual({ mapping: mapping.mapping, namespace: from });
});

test("other kinds are in Argo CD's own namespace by each mapping", () => {
  for (const mapping of [byNamespace, byDestination])
    expect(placeOf("projects", metadataIn("hub-argo"), placement(mapping))).toEqual({
      namespace: "argo",
      name: "shop",
    });
});

test("a copy that another mapping made isn't of this one until it is written again, with its status as it was", () => {
  const before = { ...copyOf("east", byNamespace), status: { sync: "Synced" } };
  expect(isOfMapping(before, placement(byDestination))).toBe(false);
  const after = copyOf("east", byDestination, before);
  expect(isOfMapping(after, placement(byDestination))).toBe(true);
  expect(after["status"]).toEqual({ sync: "Synced" });
  const again = copyOf("east", byNamespace, after);
  expect(isOfMapping(again, placement(byNamespace))).toBe(true);
  expect(again.metadata.annotations).toEqual(before.metadata.annotations);
});

function copyOf(from: string, mapping: Mapping, there?: Parameters<typeof makeCopy>[2]) {
  const metadata = metadataIn(from);
  const place = placeOf("applications", metadata, placement(mapping));
  const part = { metadata, spec: { project: "default", destination: { name: "east" } } } as WantedCopy["part"];
  return makeCopy("applications", { sourceUid: "source", hubUid: "hub", version: 5n, part, place }, there);
}

function metadataIn(namespace: string): WantedCopy["part"]["metadata"] {
  return { name: "shop", namespace, labels: {}, annotations: {}, finalizers: [], isDeleting: false };
}

function placement(mapping: Mapping): Placement & { readonly hubNamespace: string } {
  return { ...mapping, argoNamespace: "argo", hubNamespace: "east" };
}

type Mapping = Pick<Placement, "mapping" | "remappedNamespaces">;

const annotation = "fairlead.dev/namespace-remapped";
