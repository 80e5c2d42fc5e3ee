import { expect, test } from "vitest";
import { copyProject } from "./copy-project.ts";
import type { ClusterTarget } from "./match-project.ts";

const east: ClusterTarget = { cluster: "east", mapping: "namespace", publicUrl: undefined };
const own = { name: "in-cluster", server: "https://kubernetes.default.svc" };
const metadata = { name: "shop", namespace: "argocd", labels: {}, annotations: {}, finalizers: [], isDeleting: false };

test("a cluster's copy has its own destinations as in-cluster, no roles, and no namespaces of the hub", () => {
  const spec = {
    description: "the shop",
    sourceRepos: ["*"],
    sourceNamespaces: ["east", "west"],
    destinations: [
      { name: "east", namespace: "shop" },
      { name: "west", namespace: "secret" },
      { server: "*", namespace: "tools" },
    ],
    roles: [{ name: "ci", policies: ["p, proj:shop:ci, applications, sync, shop/*, allow"] }],
  };
  expect(copyProject({ metadata, spec }, east)).toEqual({
    metadata,
    spec: {
      description: "the shop",
      sourceRepos: ["*"],
      destinations: [
        { ...own, namespace: "shop" },
        { ...own, namespace: "tools" },
      ],
    },
  });
});

test("by destination the namespaces that applications may be in stay", () => {
  const spec = { sourceNamespaces: ["team"], destinations: [{ name: "east", namespace: "*" }] };
  expect(copyProject({ metadata, spec }, { ...east, mapping: "destination" }).spec).toEqual({
    sourceNamespaces: ["team"],
    destinations: [{ ...own, namespace: "*" }],
  });
});

test("destinations that are the same in the cluster are there once, as Argo CD asks", () => {
  const destinations = [
    { name: "east", namespace: "*" },
    { name: "ea*", namespace: "*" },
    { server: "*", namespace: "*" },
  ];
  expect(copyProject({ metadata, spec: { destinations } }, east).spec["destinations"]).toEqual([
    { ...own, namespace: "*" },
  ]);
});

test("a namespace that is forbidden stays forbidden, whichever cluster it was said of", () => {
  const destinations = [
    { name: "*", namespace: "*" },
    { name: "west", namespace: "!kube-system" },
    { name: "!west", namespace: "other" },
  ];
  expect(copyProject({ metadata, spec: { destinations } }, east).spec["destinations"]).toEqual([
    { ...own, namespace: "*" },
    { namespace: "!kube-system" },
  ]);
});

test("of the accounts that Argo CD deploys as, those for the cluster stay, and are its own", () => {
  const account = (server: string, defaultServiceAccount: string) => ({
    server,
    namespace: "*",
    defaultServiceAccount,
  });
  const spec = {
    destinations: [{ name: "east", namespace: "*" }],
    destinationServiceAccounts: [
      null,
      account("https://hub/k8s/clusters/east", "deployer"),
      account("https://other", "admin"),
    ],
  };
  expect(copyProject({ metadata, spec }, east).spec["destinationServiceAccounts"]).toEqual([
    account(own.server, "deployer"),
  ]);
});
