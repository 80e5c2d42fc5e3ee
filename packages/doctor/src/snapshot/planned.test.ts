import { expect, test } from "vitest";
import type { ClusterObject } from "./cluster-object.ts";
import { snapshotOfObjects } from "./from-objects.ts";
import { isPlanned } from "./planned.ts";

const rendered = { apiVersion: "v1", kind: "Service", metadata: { name: "a", namespace: "b" } };

test.each<[string, object, boolean]>([
  ["neither uid nor status", rendered, true],
  ["times and statuses that are empty, as Go writes them", empty(), true],
  ["a uid", { ...rendered, metadata: { ...rendered.metadata, uid: "1" } }, false],
  ["a time", { ...rendered, metadata: { ...rendered.metadata, creationTimestamp: "2026-01-01T00:00:00Z" } }, false],
  ["a status", { ...rendered, status: { loadBalancer: { ingress: [{ ip: "10.0.0.1" }] } } }, false],
])("an object of a folder with %s", (_what, object, expected) => {
  snapshotOfObjects({ objects: [object as ClusterObject], isComplete: true, isDump: true });
  expect(isPlanned(object as ClusterObject)).toBe(expected);
});

test("an object that no folder holds is never planned", () => {
  const object = structuredClone(rendered);
  snapshotOfObjects({ objects: [object], isComplete: true });
  expect(isPlanned(object)).toBe(false);
});

test("pods of planned workloads are those of their templates, and nodes are not known", () => {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [] } };
  const web = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "x" },
    spec: { template },
  };
  const snapshot = snapshotOfObjects({ objects: [web], isComplete: true, isDump: true });
  expect(snapshot.list("pods")).toMatchObject([{ metadata: { name: "web", namespace: "x", labels: { app: "web" } } }]);
  expect(snapshot.look("nodes").is).toBe("hidden");
});

test("an empty list of one kind says that there are none", () => {
  const kind = { apiVersion: "v1", kind: "ConfigMap" };
  const snapshot = snapshotOfObjects({ objects: [rendered], isComplete: false, emptyKinds: [kind], isDump: true });
  expect(snapshot.look("configmaps")).toEqual({ is: "seen", objects: [] });
  expect(snapshot.readConfigMap("a", "b").is).toBe("missing");
  expect(snapshot.look("pods").is).toBe("hidden");
});

test("rendered APIServices don't say which groups there will be", () => {
  const metadata = { name: "v1beta1.metrics.k8s.io" };
  const api = { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", metadata, spec: { service: {} } };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: { group: "example.com", names: { kind: "Thing" } },
  };
  const snapshot = snapshotOfObjects({ objects: [api, definition], isComplete: false, isDump: true });
  expect(snapshot.isServed("applications.argoproj.io")).toBe("unknown");
});

function empty(): object {
  return { ...rendered, metadata: { ...rendered.metadata, creationTimestamp: null }, status: { loadBalancer: {} } };
}
