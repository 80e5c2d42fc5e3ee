import { describe, expect, it, test } from "vitest";
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

describe("a sync window", () => {
  const window = { kind: "deny", schedule: "0 22 * * *", duration: "1h", manualSync: true };
  const named = { ...window, clusters: [own.name, own.server] };
  const copyWindow = (fields: object, target = east): unknown => {
    const spec = { destinations: [{ name: "east", namespace: "*" }], syncWindows: [{ ...window, ...fields }] };
    return copyProject({ metadata, spec }, target).spec["syncWindows"];
  };

  it.each([
    ["its name", ["west", "east"]],
    ["a pattern of its name", ["e*"]],
    ["all", ["*"]],
    ["its address at the hub", ["https://hub/k8s/clusters/east"]],
    ["a pattern that can't be read", ["[east"]],
  ])("names the cluster as the cluster's Argo CD does where it is for %s, in both mappings", (_what, clusters) => {
    expect(copyWindow({ clusters })).toEqual([named]);
    expect(copyWindow({ clusters }, { ...east, mapping: "destination" })).toEqual([named]);
  });

  it.each([
    ["another one's name", ["west"]],
    ["what it isn't", ["!west"]],
    ["another address", ["https://hub/k8s/clusters/west"]],
    ["the hub's own cluster", ["in-cluster", "https://kubernetes.default.svc"]],
  ])("for %s isn't the cluster's", (_what, clusters) => {
    expect(copyWindow({ clusters })).toEqual([]);
  });

  it("that holds for applications and namespaces, too, still does", () => {
    const others = { applications: ["shop"], namespaces: ["prod-*"] };
    expect(copyWindow(others)).toEqual([{ ...window, ...others }]);
    expect(copyWindow({ ...others, clusters: [] })).toEqual([{ ...window, ...others, clusters: [] }]);
    expect(copyWindow({ ...others, clusters: ["west"] })).toEqual([{ ...window, ...others }]);
    expect(copyWindow({ ...others, clusters: ["east"] })).toEqual([{ ...named, ...others }]);
  });

  it("that asks for all of them isn't the cluster's when it is for other clusters", () => {
    const others = { andOperator: true, applications: ["shop"] };
    expect(copyWindow({ ...others, clusters: ["west"] })).toEqual([]);
    expect(copyWindow({ ...others, clusters: ["east"] })).toEqual([{ ...named, ...others }]);
  });

  it("with more patterns than are read counts as the cluster's", () => {
    expect(copyWindow({ clusters: Array.from({ length: 1_001 }, (_, at) => `west-${at}`) })).toEqual([named]);
  });
});
