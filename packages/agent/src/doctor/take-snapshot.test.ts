import { Snapshot } from "@fairlead/doctor";
import type { ApiResource } from "@fairlead/kube";
import { expect, test } from "vitest";
import { HeldSighting } from "./held-sighting.ts";
import type { ObservationCache } from "./observation-cache.ts";
import { readableApart, takeSnapshot, type WaysToLook } from "./take-snapshot.ts";

const deployments = served("deployments", "apps");
const nodes = { ...served("nodes"), namespaced: false };
const all = { include: [], exclude: [], namespaces: [] };

test("a kind that the API server has and nobody read is hidden, and one that it lacks is not served", () => {
  const snapshot = snapshotOf({});
  expect(snapshot.look("deployments.apps")).toMatchObject({ is: "hidden", why: "the agent didn't read it" });
  expect(snapshot.look("applications.argoproj.io")).toEqual({ is: "not-served" });
});

test.each([
  ["Secrets are never read", { resources: [served("secrets")] }, "secrets", "the agent never reads all of them"],
  [
    "a kind that is excluded isn't read",
    { choice: { ...all, exclude: ["*.apps"] } },
    "deployments.apps",
    "told not to",
  ],
  ["labels leave objects out", { labelSelector: "team=a" }, "deployments.apps", "team=a"],
  [
    "namespaces leave out the cluster's own",
    { choice: { ...all, namespaces: ["shop"] } },
    "nodes",
    "only some namespaces",
  ],
] as const)("%s, so that it is hidden", (_what, changed, resource, why) => {
  const ways = waysOf({ ...changed, cache: seen() } as Partial<WaysToLook>);
  expect(new Snapshot(takeSnapshot(ways)).look(resource)).toMatchObject({
    is: "hidden",
    why: expect.stringContaining(why),
  });
  expect(readableApart({ ...ways, cache: unseen }, new Set([resource]))).toEqual([]);
});

test("the metrics API is asked only where that is wanted", () => {
  const metrics = { ...served("nodes", "metrics.k8s.io"), namespaced: false };
  const key = "nodes.metrics.k8s.io";
  for (const isProbing of [true, false]) {
    const ways = waysOf({ catalogue: { resources: [metrics], unavailable: [] }, isProbing });
    const why = isProbing ? "the agent didn't read it" : "it isn't asked for (--observe-doctor-probes)";
    expect(new Snapshot(takeSnapshot(ways)).look(key)).toEqual({ is: "hidden", why });
    expect(readableApart(ways, new Set([key]))).toEqual(isProbing ? [metrics] : []);
  }
});

test("with namespaces, what was seen says that others could hold more", () => {
  const snapshot = snapshotOf({ choice: { ...all, namespaces: ["shop"] }, cache: seen() });
  expect(snapshot.look("deployments.apps")).toMatchObject({ is: "seen", namespaces: ["shop"] });
  expect(snapshot.isWhole("deployments.apps")).toBe(false);
});

test("groups whose API server is away are unknown, not gone", () => {
  const unavailable = [{ group: "metrics.k8s.io", version: "v1", message: "away" }];
  const snapshot = snapshotOf({ catalogue: { resources: [deployments], unavailable } });
  expect(snapshot.isServed("nodes.metrics.k8s.io")).toBe("unknown");
});

const unseen = { look: () => undefined, has: () => false };

function seen(): Pick<ObservationCache, "look" | "has"> {
  return { look: () => new HeldSighting([]), has: () => true };
}

function snapshotOf(changed: Partial<WaysToLook>): Snapshot {
  return new Snapshot(takeSnapshot(waysOf(changed)));
}

function waysOf(changed: Partial<WaysToLook> & { readonly resources?: readonly ApiResource[] }): WaysToLook {
  const { resources = [deployments, nodes], ...rest } = changed;
  return {
    catalogue: { resources, unavailable: [] },
    choice: all,
    labelSelector: undefined,
    isProbing: false,
    cache: unseen,
    side: { look: () => undefined, configMaps: new Map() },
    ...rest,
  };
}

function served(resource: string, group = ""): ApiResource {
  const names = { kind: resource, singular: resource, shortNames: [], categories: [] };
  return { group, version: "v1", resource, namespaced: true, verbs: ["list", "watch"], ...names };
}
