import type { KubeObject } from "@fairlead/kube";
import { expect, it } from "vitest";
import { type ClusterSecret, makeSecret, readSecret, type SeenSecret, toSecretLabels } from "./cluster-secret.ts";
import { decideSecrets } from "./decide.ts";

const place = (cluster: string) => ({
  server: `https://hub/k8s/clusters/${cluster}`,
  caPem: "ca",
  labels: { env: "prod", "fairlead.dev/gitops-mode": "managed" },
});
const east: ClusterSecret = { cluster: "east", token: "fresh", ...place("east") };

it("makes what isn't there, and keeps what is as it should be", () => {
  expect(decide([])).toEqual([{ is: "make", cluster: "east", place: place("east") }]);
  expect(decide([own(east)])).toEqual([{ is: "keep", cluster: "east", token: "fresh" }]);
});

it.each([
  ["another address", { ...east, server: "https://old/k8s/clusters/east" }, "fresh"],
  ["another authority", { ...east, caPem: "old" }, "fresh"],
  ["another label", { ...east, labels: { ...east.labels, env: "test" } }, "fresh"],
  ["a label more", { ...east, labels: { ...east.labels, tier: "gold" } }, "fresh"],
  ["a token that is to be followed by another", { ...east, token: "stale" }, undefined],
])("renews one with %s", (_what, content, keptToken) => {
  const [step] = decide([own(content)]);
  expect(step).toMatchObject({ is: "renew", cluster: "east" });
  expect(step?.is === "renew" ? step.keptToken : "none").toBe(keptToken);
});

it("renews one that somebody broke", () => {
  const { object } = own(east) as Extract<SeenSecret, { is: "own" }>;
  expect(decide([readSecret({ ...object, data: {} }, "uid")])).toMatchObject([{ is: "renew", cluster: "east" }]);
});

it("removes its own of clusters that are gone, and nobody else's", () => {
  const west = { ...east, cluster: "west", ...place("west") };
  expect(decide([own(east), own(west), own({ ...west, cluster: "south" }, "another hub")])).toMatchObject([
    { is: "remove", object: { metadata: { name: "fairlead-cluster-west" } } },
    { is: "keep", cluster: "east" },
  ]);
});

it.each([
  ["its name", own(east, "another hub")],
  ["the cluster's name", foreign({ name: "east" })],
  ["the cluster's address", foreign({ server: place("east").server })],
])("lets somebody else's be that has %s, and makes none beside it", (_what, other) => {
  expect(decide([other])).toMatchObject([{ is: "taken", cluster: "east" }]);
});

it("has the cluster's labels, and none that mean something to Argo CD or the hub", () => {
  const own = {
    env: "prod",
    "team.example.com/name": "shop",
    "kubernetes.io.example.com/zone": "a",
    "argocd.argoproj.io/secret-type": "repository",
    "argocd-agent.argoproj-labs.io/agent-name": "west",
    "fairlead.dev/cluster": "west",
    "fairlead.dev/gitops-mode": "off",
    "app.kubernetes.io/managed-by": "me",
  };
  expect(toSecretLabels(own, "managed")).toEqual({
    env: "prod",
    "team.example.com/name": "shop",
    "kubernetes.io.example.com/zone": "a",
    "fairlead.dev/gitops-mode": "managed",
  });
  const made = makeSecret({ ...east, labels: own }, "uid") as KubeObject;
  expect(made.metadata.labels).toMatchObject({
    "argocd.argoproj.io/secret-type": "cluster",
    "fairlead.dev/cluster": "east",
  });
});

function decide(seen: readonly SeenSecret[]) {
  const places = new Map([["east", place("east")]]);
  return decideSecrets({ places, seen, isFresh: (token) => token === "fresh" });
}

function own(content: ClusterSecret, hubUid = "uid"): SeenSecret {
  return readSecret(makeSecret(content, hubUid) as KubeObject, "uid");
}

function foreign(names: { readonly name?: string; readonly server?: string }): SeenSecret {
  return { is: "foreign", secretName: "by-hand", name: "", server: "", ...names };
}
