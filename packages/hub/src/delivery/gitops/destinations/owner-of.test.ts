import type { GitopsObject } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { destinationOf } from "./destination-of.ts";
import { ownerOf } from "./owner-of.ts";

const hub = "https://hub.example/k8s/clusters";

test.each([
  [{ name: "east" }, "east"],
  [{ name: "east", namespace: "shop" }, "east"],
  [{ server: `${hub}/east` }, "east"],
  [{ server: `${hub}/east/` }, "east"],
  [{ server: "https://hub.fairlead:8443/k8s/clusters/east" }, "east"],
  [{ name: "west", server: `${hub}/east` }, "west"],
  [{ name: "in-cluster" }, undefined],
  [{ name: "", server: "" }, undefined],
  [{ server: "https://kubernetes.default.svc" }, undefined],
  [{ server: "https://kubernetes.default.svc?x=/k8s/clusters/east" }, undefined],
  [{ server: `${hub}/east/api` }, undefined],
  [{ server: `${hub}/in-cluster` }, undefined],
  [{ name: 5 }, undefined],
  [null, undefined],
])("the destination %o is %s", (destination, cluster) => {
  expect(destinationOf(application("argocd", { spec: { destination } }))).toBe(cluster);
});

test("an application without a spec has no destination", () => {
  expect(destinationOf({ ...application("argocd"), spec: null })).toBeUndefined();
});

test.each([
  ["Argo CD's own namespace", "argocd", {}, "east"],
  ["the cluster's own namespace", "east", {}, "east"],
  ["a namespace of a pattern", "team-a", {}, "east"],
  ["a namespace of an expression", "squad-7", {}, "east"],
  ["any other namespace", "elsewhere", {}, undefined],
  ["a namespace of a pattern that is another cluster's", "team-west", {}, undefined],
  [
    "a namespace of a pattern with a label to stay",
    "team-a",
    { labels: { "fairlead.dev/ignore-sync": "true" } },
    undefined,
  ],
] as const)("an application in %s", (_, namespace, metadata, owner) => {
  const rules = { argoNamespace: "argocd", applicationNamespaces: ["team-*", "/^squad-\\d$/"] };
  const exchanges = (cluster: string): boolean => ["east", "team-west"].includes(cluster);
  expect(ownerOf(application(namespace, { metadata }), rules, exchanges)).toBe(owner);
});

test("without patterns no other namespace than the two counts", () => {
  const rules = { argoNamespace: "argocd", applicationNamespaces: [] };
  const owners = ["argocd", "east", "team-a"].map((each) => ownerOf(application(each), rules, () => false));
  expect(owners).toEqual(["east", "east", undefined]);
});

function application(namespace: string, { metadata, spec }: { metadata?: object; spec?: object } = {}): GitopsObject {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "shop", namespace, ...metadata },
    spec: spec ?? { destination: { name: "east" } },
  };
}
