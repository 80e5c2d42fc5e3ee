import type { KubeObject } from "@fairlead/kube";
import { expect, test } from "vitest";
import { isTracked } from "./is-tracked.ts";

test.each([
  ["its own", "shop:apps/Deployment:a/web", true],
  ["its own, of an application in another namespace", "east_shop:apps/Deployment:a/web", true],
  ["another object's name", "shop:apps/Deployment:a/api", false],
  ["another namespace's", "shop:apps/Deployment:b/web", false],
  ["another kind's", "shop:apps/StatefulSet:a/web", false],
  ["another group's", "shop:/Deployment:a/web", false],
  ["nobody's", ":apps/Deployment:a/web", false],
  ["no id", "shop", false],
])("an annotation with %s says so: %j", (_what, id, expected) => {
  expect(isTracked(deployment({ annotations: { "argocd.argoproj.io/tracking-id": id } }), undefined)).toBe(expected);
});

test("what has no namespace is tracked by the application's", () => {
  const annotations = { "argocd.argoproj.io/tracking-id": "shop:rbac.authorization.k8s.io/ClusterRole:a/x:y" };
  const metadata = { uid: "u", name: "x:y", resourceVersion: "1", annotations };
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata };
  expect(isTracked(role, undefined)).toBe(true);
});

test("a label counts only where the cluster says so", () => {
  const labelled = deployment({ labels: { "app.kubernetes.io/instance": "shop" } });
  expect(isTracked(labelled, undefined)).toBe(false);
  expect(isTracked(labelled, "app.kubernetes.io/instance")).toBe(true);
  expect(isTracked(deployment({ labels: { "app.kubernetes.io/instance": "" } }), "app.kubernetes.io/instance")).toBe(
    false,
  );
});

function deployment(marks: Pick<KubeObject["metadata"], "annotations" | "labels">): KubeObject {
  const metadata = { uid: "u", name: "web", namespace: "a", resourceVersion: "1", ...marks };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata };
}
