// Applications of clusters with the mapping by destination, as people ask for them.
import type { ApplicationName } from "@fairlead/contract";
import { createMovableClock } from "@fairlead/kernel/testing";
import type { GitopsObject } from "@fairlead/protocol";
import { expect, test } from "vitest";
import type { Principal } from "../../../people/access/index.ts";
import type { GitopsSettingsTable } from "../../../platform/store/index.ts";
import type { HubObjects } from "../types.ts";
import { createApplications } from "./service.ts";

const somebody = { name: "ann" } as Principal;

test("a cluster's are those that name it, wherever they may be, and all are read once for a page", async () => {
  const harness = open();
  const { items } = await harness.applications.list(somebody, {});
  expect(items.map(({ cluster, namespace, name }) => `${cluster} ${namespace}/${name}`)).toEqual([
    "east argocd/own",
    "east team/shop",
    "north north/shop",
    "west team/other",
  ]);
  expect(harness.listings).toEqual([undefined, "north"]);
});

test.each([
  ["one of its own", { cluster: "east", namespace: "team", name: "shop" }, undefined],
  ["another one's", { cluster: "west", namespace: "team", name: "shop" }, "GITOPS_APPLICATION_NOT_FOUND"],
  ["the hub's own", { cluster: "east", namespace: "argocd", name: "hub" }, "GITOPS_APPLICATION_NOT_FOUND"],
  ["one elsewhere", { cluster: "east", namespace: "private", name: "shop" }, "GITOPS_APPLICATION_NOT_FOUND"],
  [
    "one of a namespace that is another one's",
    { cluster: "east", namespace: "north", name: "shop" },
    "GITOPS_APPLICATION_NOT_FOUND",
  ],
])("of a cluster %s is asked for", async (_, of, code) => {
  const { applications } = open();
  if (code === undefined) expect(await applications.get(somebody, of)).toMatchObject(of);
  else await expect(applications.get(somebody, of)).rejects.toMatchObject({ code });
  const removed = applications.remove(somebody, of).catch((error: { code: string }) => error.code);
  expect(await removed).toBe(code);
});

test("one is made only where it is the cluster's, and another one's isn't taken", async () => {
  const { applications, made } = open();
  const put = async (of: ApplicationName, destination: string) =>
    await applications.put(somebody, of, { spec: { destination: { name: destination } } }).then(
      () => "made",
      (error: { code: string }) => error.code,
    );
  const elsewhere = "GITOPS_APPLICATION_ELSEWHERE";
  const east = { cluster: "east", namespace: "team", name: "new" };
  expect(await put(east, "west")).toBe(elsewhere);
  expect(await put({ ...east, namespace: "private" }, "east")).toBe(elsewhere);
  expect(await put({ ...east, namespace: "north" }, "east")).toBe(elsewhere);
  expect(await put({ ...east, name: "other" }, "east")).toBe(elsewhere);
  expect(made).toEqual([]);
  expect(await put(east, "east")).toBe("made");
  expect(made).toEqual(["team/new"]);
});

function open() {
  const listings: (string | undefined)[] = [];
  const made: string[] = [];
  const all = [
    application("argocd", "own", "east"),
    application("argocd", "hub", "in-cluster"),
    application("team", "shop", "east"),
    application("team", "other", "west"),
    application("private", "shop", "east"),
    application("north", "shop", "east"),
  ];
  const objects = {
    async watch({ namespace, handler }: Parameters<HubObjects["watch"]>[0]) {
      listings.push(namespace);
      handler.listed(all.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace));
    },
    get: async ({ namespace, name }: { namespace: string; name: string }) =>
      all.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    async writeContent({ object }: Parameters<HubObjects["writeContent"]>[0]) {
      made.push(`${object.metadata.namespace}/${object.metadata.name}`);
      return { is: "written", object };
    },
    remove: async () => ({ is: "written", object: undefined }),
  } as unknown as HubObjects;
  const rows = [
    ...["east", "west"].map((cluster) => ({ cluster, mode: "managed", mapping: "destination" })),
    { cluster: "north", mode: "managed", mapping: "namespace" },
    { cluster: "team", mode: "off", mapping: "namespace" },
  ].sort((one, other) => (one.cluster < other.cluster ? -1 : 1)) as GitopsSettingsTable[];
  const applications = createApplications({
    objects,
    settings: { list: async () => rows, find: async (name) => rows.find(({ cluster }) => cluster === name) },
    access: { require: () => undefined, may: () => true },
    clusters: { meet: async () => undefined, exists: () => true },
    rules: { argoNamespace: "argocd", applicationNamespaces: ["*m", "north"] },
    clock: createMovableClock(),
  });
  return { applications, listings, made };
}

function application(namespace: string, name: string, cluster: string): GitopsObject {
  const metadata = { namespace, name, uid: `${namespace}-${name}` };
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata,
    spec: { destination: { name: cluster } },
  };
}
