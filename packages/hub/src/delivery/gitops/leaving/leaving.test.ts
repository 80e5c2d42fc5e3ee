import { createMovableClock } from "@fairlead/kernel/testing";
import type { GitopsObject } from "@fairlead/protocol";
import { beforeEach, describe, expect, it } from "vitest";
import type { Principal } from "../../../people/access/index.ts";
import type { GitopsLeftTable, GitopsSettingsTable } from "../../../platform/store/index.ts";
import type { HubObjects } from "../types.ts";
import { letGoOnce } from "./let-go.ts";
import { createLeaving } from "./service.ts";

const somebody = { name: "ann" } as Principal;
const finalizer = "resources-finalizer.argocd.argoproj.io";
const clock = createMovableClock();
let hub: GitopsObject[];
let left: GitopsLeftTable[];
let settings: Partial<GitopsSettingsTable>[];
/** Name -> whether it is revoked. */
let clusters: Map<string, boolean>;
beforeEach(() => {
  hub = [];
  left = [];
  settings = [{ cluster: "east", mode: "managed", mapping: "namespace" }];
  clusters = new Map([["east", false]]);
});

describe("a cluster's applications", () => {
  it("are counted by its mapping, and written down when they are let go", async () => {
    hub = [application("east", "shop", { isDeleting: true }), application("east", "web"), application("team", "api")];
    expect(await leaving().count(somebody, "east")).toEqual({ cluster: "east", applications: 2, deleting: 1 });
    settings = [{ cluster: "east", mode: "managed", mapping: "destination" }];
    await leaving().letGo(somebody, "east");
    expect(left.map(({ uid }) => uid)).toEqual(["uid-shop", "uid-web", "uid-api"]);
  });

  it("are none where nothing is exchanged, and are asked for only of clusters that there are", async () => {
    hub = [application("east", "shop")];
    settings = [{ cluster: "east", mode: "off", mapping: "namespace" }];
    expect(await leaving().count(somebody, "east")).toMatchObject({ applications: 0 });
    await expect(leaving().letGo(somebody, "west")).rejects.toMatchObject({ code: "GITOPS_CLUSTER_NOT_FOUND" });
  });
});

describe("applications that were let go", () => {
  beforeEach(async () => {
    hub = [
      application("east", "shop", { isDeleting: true, finalizers: ["other", finalizer, `${finalizer}/background`] }),
      application("east", "web"),
    ];
    await leaving().letGo(somebody, "east");
    hub.push(application("east", "later", { isDeleting: true }));
  });

  it("wait as long as their cluster is there, and are forgotten when it stays", async () => {
    await round();
    expect(finalizersOf("shop")).toHaveLength(3);
    clock.move(601_000);
    await round();
    expect(left).toEqual([]);
  });

  it.each([
    ["removed", () => clusters.delete("east")],
    ["revoked", () => clusters.set("east", true)],
  ])("lose Argo CD's finalizers when they are deleted and their cluster is %s, and no others do", async (_how, act) => {
    act();
    await round();
    expect(finalizersOf("shop")).toEqual(["other"]);
    expect([finalizersOf("web"), finalizersOf("later")]).toEqual([[finalizer], [finalizer]]);
    Object.assign(hub[1]?.metadata ?? {}, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    await round();
    expect(finalizersOf("web")).toEqual([]);
    hub = [];
    await round();
    expect(left).toEqual([]);
  });
});

function finalizersOf(name: string): readonly string[] | undefined {
  return hub.find(({ metadata }) => metadata.name === name)?.metadata.finalizers;
}

function leaving(): ReturnType<typeof createLeaving> {
  return createLeaving({
    objects,
    clock,
    access: { require: () => undefined },
    clusters: present,
    rules: { argoNamespace: "argocd", applicationNamespaces: ["team"] },
    settings: {
      find: async (cluster) => settings.find((row) => row.cluster === cluster) as GitopsSettingsTable,
      list: async () => settings.filter(({ cluster }) => cluster !== "east") as GitopsSettingsTable[],
    },
    store: {
      async put(cluster, applications, at) {
        left = applications.map((each) => ({ ...each, cluster, left_at: at }));
      },
    },
  });
}

async function round(): Promise<void> {
  const { signal } = new AbortController();
  const store = {
    list: async () => left,
    async forget(uids: readonly string[]) {
      left = left.filter(({ uid }) => !uids.includes(uid));
    },
  };
  const log = { info: () => undefined, warn: () => undefined };
  await letGoOnce({ objects, store, clusters: present, clock, log }, { isHeld: true, signal });
}

const present = {
  meet: async () => undefined,
  exists: (name: string) => clusters.has(name),
  state: (name: string) => ({ state: clusters.get(name) ? ("revoked" as const) : ("offline" as const), sinceMs: 0 }),
};

const objects = {
  watch: async ({ namespace, handler }: Parameters<HubObjects["watch"]>[0]) =>
    handler.listed(hub.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)),
  async writeFinalizers({ object }: Parameters<HubObjects["writeFinalizers"]>[0]) {
    hub = hub.map((each) => (each.metadata.uid === object.metadata.uid ? object : each));
    return { is: "written", object };
  },
} as unknown as HubObjects;

function application(
  namespace: string,
  name: string,
  { isDeleting = false, finalizers = [finalizer] }: { isDeleting?: boolean; finalizers?: string[] } = {},
): GitopsObject {
  const deletion = isDeleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
  const metadata = { namespace, name, uid: `uid-${name}`, finalizers, ...deletion };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata, spec: { destination: { name: "east" } } };
}
