import { expect, it } from "vitest";
import { type OwnedObject, selectPods } from "./application-pods.ts";

const resources = [
  { kind: "Deployment", namespace: "shop", name: "web" },
  { kind: "StatefulSet", namespace: "shop", name: "store" },
  { kind: "CronJob", namespace: "shop", name: "nightly" },
  { kind: "Pod", namespace: "shop", name: "lone" },
];
const between = [
  made("ReplicaSet", "web-1", own("Deployment", "web")),
  made("ReplicaSet", "other-1", own("Deployment", "other")),
  made("Job", "nightly-1", own("CronJob", "nightly")),
];

it.each([
  ["a Deployment, by its ReplicaSet", made("Pod", "web-1-a", own("ReplicaSet", "web-1")), true],
  ["a CronJob, by its Job", made("Pod", "nightly-1-a", own("Job", "nightly-1")), true],
  ["a StatefulSet", made("Pod", "store-0", own("StatefulSet", "store")), true],
  ["the application itself", made("Pod", "lone"), true],
  ["another application's Deployment", made("Pod", "other-1-a", own("ReplicaSet", "other-1")), false],
  ["nobody", made("Pod", "stray"), false],
  ["a ReplicaSet that is gone", made("Pod", "gone", own("ReplicaSet", "web-0")), false],
])("a pod of %s is told", (_whose, pod, expected) => {
  expect(selectPods({ resources, pods: [pod], between })).toHaveLength(expected ? 1 : 0);
});

it("a resource of the same name in another namespace has no part in it", () => {
  const pod = made("Pod", "lone");
  const elsewhere = { ...pod, metadata: { ...pod.metadata, namespace: "other" } };
  expect(selectPods({ resources, pods: [elsewhere], between })).toEqual([]);
});

it("owners that go in a circle end", () => {
  const one = made("Job", "one", own("ReplicaSet", "two"));
  const two = made("ReplicaSet", "two", own("Job", "one"));
  const pod = made("Pod", "round", own("Job", "one"));
  expect(selectPods({ resources, pods: [pod], between: [one, two] })).toEqual([]);
});

function made(
  kind: string,
  name: string,
  ...ownerReferences: { kind: string; name: string; uid: string }[]
): OwnedObject {
  return { kind, metadata: { name, namespace: "shop", uid: `uid-${name}`, ownerReferences } };
}

function own(kind: string, name: string) {
  return { kind, name, uid: `uid-${name}` };
}
