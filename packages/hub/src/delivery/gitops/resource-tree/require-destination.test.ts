import type { GitopsObject } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { requireDestination } from "./require-destination.ts";

test.each([
  ["its name", { name: "east" }],
  ["its address at the hub", { server: "https://hub.example/k8s/clusters/east" }],
  ["its address with a slash at the end", { server: "https://10.0.0.1:8443/k8s/clusters/east/" }],
])("a cluster's tree is given for an application whose destination is that cluster, by %s", async (_, destination) => {
  await expect(ask({ destination })).resolves.toBeUndefined();
});

test.each([
  ["the hub's own cluster, by its address", { destination: { server: "https://kubernetes.default.svc" } }],
  ["the hub's own cluster, by its name", { destination: { name: "in-cluster" } }],
  ["another cluster", { destination: { name: "west" } }],
  ["another cluster, by its address at the hub", { destination: { server: "https://hub.example/k8s/clusters/west" } }],
  ["an address that the hub doesn't know", { destination: { server: "https://east.example:6443" } }],
  ["another name beside the right address", { destination: { name: "x", server: "https://hub/k8s/clusters/east" } }],
  ["a path above the cluster's address", { destination: { server: "https://hub.example/k8s/clusters/east/../west" } }],
  ["none", {}],
  ["not to be read", { destination: { name: ["east"] } }],
])("nothing is given for an application whose destination is %s", async (_, spec) => {
  await expect(ask(spec)).rejects.toMatchObject({ code: "RESOURCE_TREE_DESTINATION_OTHER" });
});

test("nothing is given for an application that the hub doesn't have", async () => {
  await expect(ask(undefined)).rejects.toMatchObject({ code: "RESOURCE_TREE_DESTINATION_OTHER" });
});

test("an application of Argo CD's own namespace is looked up there", async () => {
  const asked: string[] = [];
  const options = { cluster: "east", key: { namespace: "", name: "web" }, argoNamespace: "argo" };
  await requireDestination({
    ...options,
    async findApplication(namespace, name) {
      asked.push(`${namespace}/${name}`);
      return application({ destination: { name: "east" } });
    },
  });
  expect(asked).toEqual(["argo/web"]);
});

async function ask(spec: object | undefined): Promise<void> {
  await requireDestination({
    cluster: "east",
    key: { namespace: "east", name: "web" },
    argoNamespace: "argocd",
    findApplication: async () => spec && application(spec),
  });
}

function application(spec: object): GitopsObject {
  const metadata = { namespace: "east", name: "web" };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata, spec };
}
