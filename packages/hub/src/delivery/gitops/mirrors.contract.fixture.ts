// How autonomous clusters are shown by both adapters, whatever clusters say.
import { systemClock } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import type { GitopsObject } from "@fairlead/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ClusterSide, type SaidObject } from "./cluster-side.fixture.ts";
import type { ContractHarness } from "./hub-objects.contract.fixture.ts";
import { listOnce } from "./list-once.fixture.ts";
import { createMemoryHolds, createMemoryOperations, type MemoryHolds } from "./memory-holds.fixture.ts";
import { createSharedObjects } from "./shared/index.ts";
import { type HubEnds, type MirrorPolicy, openEnds } from "./sync/index.ts";
import type { HubObjects } from "./types.ts";

type Kind = "applications" | "projects";

export function describeMirrors(name: string, open: () => Promise<ContractHarness>): void {
  describe(`autonomous clusters in ${name}`, () => {
    let harness: ContractHarness;
    let objects: HubObjects;
    let cluster: string;
    /** Where projects are. */
    let shared: string;
    let side: ClusterSide;
    let ending: AbortController;
    let call: Disposable;
    let holds: MemoryHolds;
    beforeAll(async () => {
      harness = await open();
      ({ objects } = harness);
    }, 300_000);
    afterAll(() => harness?.[Symbol.asyncDispose]());
    beforeEach(async () => {
      cluster = await harness.newNamespace();
      shared = await harness.newNamespace();
      ending = new AbortController();
      holds = createMemoryHolds();
      side = new ClusterSide();
      call = side.call(await openHubEnds(cluster));
    });
    afterEach(() => {
      call[Symbol.dispose]();
      ending.abort();
    });

    it("writes nothing and is sent nothing again in a new call where nothing has changed", async () => {
      const child = { group: "argoproj.io", kind: "Application", namespace: "argocd", name: "child" };
      for (const index of [1, 2, 3]) side.put("applications", { uid: `c-${index}`, name: `web-${index}` });
      side.put("projects", { uid: "p-1", name: "shop", spec: { destinations: [{ server: "*", namespace: "*" }] } });
      side.putStatus("c-1", { status: { resources: [child] }, refresh: {} });
      await untilSettled("applications", "c-1", "c-2", "c-3");
      await untilSettled("projects", "p-1");
      await until(() => side.isSettled("applications.status", "c-1"), "the status is shown");
      const before = await versions();
      expect(before).toHaveLength(4);
      call[Symbol.dispose]();
      call = side.call(await openHubEnds(cluster));
      await untilSettled("applications", "c-1", "c-2", "c-3");
      await untilSettled("projects", "p-1");
      await until(() => side.isSettled("applications.status", "c-1"), "the status was compared");
      expect([side.sent("applications"), side.sent("projects"), side.sent("applications.status")]).toEqual([0, 0, 0]);
      expect(await versions()).toEqual(before);
    });

    it("shows what a later Argo CD says as far as the hub's has fields for it, and writes that once", async () => {
      const later = {
        source: { repoURL: "https://git.example/a", path: "web", ofALaterArgo: "x" },
        ofALaterArgo: true,
      };
      side.put("applications", { uid: "c-1", name: "web", spec: { project: "default", ...later } });
      const health = { status: "Healthy" };
      side.putStatus("c-1", { status: { health, summary: { ofALaterArgo: true } }, refresh: {} });
      await untilSettled("applications", "c-1");
      await until(() => side.isSettled("applications.status", "c-1"), "the status is shown");
      expect(await get("applications", cluster, "web")).toMatchObject({
        spec: { project: `${cluster}.default`, source: { path: "web" } },
        status: { health },
      });
      const before = await versions();
      call[Symbol.dispose]();
      call = side.call(await openHubEnds(cluster));
      await untilSettled("applications", "c-1");
      await until(() => side.isSettled("applications.status", "c-1"), "the status was compared");
      expect(await versions()).toEqual(before);
    });

    it("shows no finalizer of the cluster, and lets a mirror that somebody gave one go when the cluster says so", async () => {
      side.put("applications", { uid: "c-1", name: "web", finalizers: [finalizer] });
      side.put("applications", { uid: "c-2", name: "stays" });
      await untilSettled("applications", "c-1", "c-2");
      const made = await get("applications", cluster, "web");
      if (made === undefined) throw new Error("it isn't there");
      expect(made.metadata.finalizers ?? []).toEqual([]);
      const object = { ...made, metadata: { ...made.metadata, finalizers: ["x.example/y"] } };
      await objects.writeFinalizers({ kind: "applications", object, fence: undefined, signal: ending.signal });
      side.remove("applications", "c-1");
      await untilGone("applications", cluster, "web");
      expect(await get("applications", cluster, "stays")).toBeDefined();
    });

    it("keeps the mirrors of a cluster that lost its applications until that is confirmed, also in a new call", async () => {
      const uids = ["c-1", "c-2", "c-3", "c-4", "c-5"];
      for (const uid of [...uids, "c-6"]) side.put("applications", { uid, name: `web-${uid}` });
      await untilSettled("applications", ...uids, "c-6");
      for (const uid of uids) side.remove("applications", uid);
      await until(() => holds.kept.held.size === 5, "they wait");
      expect([...holds.kept.held.values()].map(({ name: of }) => of).toSorted()[0]).toBe("argocd/web-c-1");
      call[Symbol.dispose]();
      call = side.call(await openHubEnds(cluster));
      side.put("applications", { uid: "c-5", name: "web-c-5", spec: specOf("back") });
      await until(() => holds.kept.held.size === 4, "one is back");
      expect(await namesOf("applications", cluster)).toHaveLength(6);
      await holds.confirm();
      for (const uid of uids.slice(0, 4)) await untilGone("applications", cluster, `web-${uid}`);
      expect(await namesOf("applications", cluster)).toEqual(["web-c-5", "web-c-6"]);
    });

    it("takes over the mirror of an object that was made anew in the cluster", async () => {
      side.put("applications", { uid: "c-1", name: "web" });
      await untilSettled("applications", "c-1");
      const uid = (await get("applications", cluster, "web"))?.metadata.uid;
      call[Symbol.dispose]();
      side.remove("applications", "c-1");
      side.put("applications", { uid: "c-2", name: "web", spec: specOf("new") });
      call = side.call(await openHubEnds(cluster));
      await untilSettled("applications", "c-2");
      const there = await get("applications", cluster, "web");
      expect(there).toMatchObject({ metadata: { uid }, spec: specOf("new") });
    });

    it.each([
      ["another namespace in its name", { uid: "c-1", name: "../other/web" }],
      ["a path", { uid: "c-1", name: ".." }],
      ["a namespace that is none", { uid: "c-1", name: "web", namespace: "../argocd" }],
      ["labels that are none", { uid: "c-1", name: "web", labels: { a: { b: 1 } } }],
      ["a spec that is none", { uid: "c-1", name: "web", spec: "x" as unknown as object }],
      ["a uid that is none", { uid: "c 1", name: "web" }],
      ["the mark of a mirror", { uid: "c-1", name: "web", labels: { "fairlead.dev/cluster": "other" } }],
    ] as const)("writes nothing for a cluster that says %s, and goes on", async (_what, said: SaidObject) => {
      side.put("applications", said);
      side.put("projects", said);
      side.put("applications", { uid: "good", name: "good" });
      await untilSettled("applications", "good");
      await until(() => side.refusalOf("applications", said.uid) !== undefined, "it is told so");
      await until(() => side.refusalOf("projects", said.uid) !== undefined, "it is told so of the project");
      expect(await namesOf("applications", cluster)).toEqual(["good"]);
      expect(await namesOf("projects", shared)).toEqual([]);
    });

    it("leaves what the hub has of its own, whatever a cluster says it is a copy of, and tells the cluster why", async () => {
      const other = await harness.newNamespace();
      const own = await make("applications", cluster, "web", { project: "mine" });
      const others = await make("applications", other, "far", { project: "mine" });
      const project = await make("projects", shared, `${cluster}.web`, { description: "mine" });
      side.put("applications", { uid: "c-1", name: "web", copyOf: others.metadata.uid ?? "" });
      side.put("projects", { uid: "p-1", name: "web", copyOf: project.metadata.uid ?? "" });
      await until(() => side.refusalOf("applications", "c-1")?.reason === "taken", "the application is refused");
      await until(() => side.refusalOf("projects", "p-1")?.reason === "taken", "the project is refused");
      expect(side.refusalOf("applications", "c-1")?.message).toContain(`${cluster}/web on the hub is its own`);
      side.remove("applications", "c-1");
      side.remove("projects", "p-1");
      side.put("applications", { uid: "c-2", name: "after" });
      await untilSettled("applications", "c-2");
      for (const [kind, there] of [
        ["applications", own],
        ["applications", others],
        ["projects", project],
      ] as const)
        expect(await get(kind, there.metadata.namespace, there.metadata.name)).toEqual(there);
    });

    it("keeps two clusters' projects apart, however clusters and projects are called", async () => {
      const longer = `${cluster}-b`;
      side.put("projects", { uid: "p-1", name: "b-c", spec: { description: "shorter" } });
      side.put("projects", { uid: "p-2", name: "b.c", spec: { description: "dotted" } });
      await untilSettled("projects", "p-1", "p-2");
      const other = new ClusterSide();
      using _call = other.call(await openHubEnds(longer));
      other.put("projects", { uid: "p-1", name: "c", spec: { description: "longer" } });
      await until(() => other.isSettled("projects", "p-1"), "the project of the cluster with the longer name");
      expect(await namesOf("projects", shared)).toEqual([`${cluster}.b-c`, `${cluster}.b.c`, `${longer}.c`].toSorted());
      side.remove("projects", "p-1");
      await untilGone("projects", shared, `${cluster}.b-c`);
      expect([await described(`${longer}.c`), await described(`${cluster}.b.c`)]).toEqual(["longer", "dotted"]);
    });

    it("moves a project that a former hub named otherwise, and leaves one that has become another cluster's", async () => {
      const longer = `${cluster}-b`;
      const former = await makeFormer(cluster, "b.c", "p-1");
      expect(former).toBe(`${longer}.c`);
      await makeFormer(cluster, "shop", "p-2");
      call[Symbol.dispose]();
      const other = new ClusterSide();
      using _call = other.call(await openHubEnds(longer));
      other.put("projects", { uid: "q-1", name: "c", spec: { description: "longer" } });
      await until(() => other.isSettled("projects", "q-1"), "the other cluster takes its name");
      side.put("projects", { uid: "p-1", name: "b.c", spec: { description: "dotted" } });
      side.put("projects", { uid: "p-2", name: "shop", spec: { description: "own" } });
      call = side.call(await openHubEnds(cluster));
      await untilSettled("projects", "p-1", "p-2");
      await untilGone("projects", shared, `${cluster}-shop`);
      expect(await described(`${longer}.c`)).toBe("longer");
      expect([await described(`${cluster}.b.c`), await described(`${cluster}.shop`)]).toEqual(["dotted", "own"]);
    });

    it("removes what a hub of the former version left beside a project that was moved", async () => {
      side.put("projects", { uid: "p-1", name: "shop", spec: { description: "own" } });
      await untilSettled("projects", "p-1");
      call[Symbol.dispose]();
      const former = await makeFormer(cluster, "shop", "p-1");
      call = side.call(await openHubEnds(cluster));
      await untilGone("projects", shared, former);
      await untilSettled("projects", "p-1");
      expect(await described(`${cluster}.shop`)).toBe("own");
    });

    it("writes all mirrors anew when the hub's administrator lets them have more or less", async () => {
      const roles = [
        { name: "dev", groups: ["devs"], policies: ["p, proj:shop:dev, applications, get, shop/*, allow"] },
      ];
      side.put("projects", { uid: "p-1", name: "shop", spec: { roles } });
      side.put("applications", { uid: "c-1", name: "web", labels: { team: "a", "x.example/y": "b" } });
      await untilSettled("projects", "p-1");
      await untilSettled("applications", "c-1");
      const seen = async () => [
        (await get("projects", shared, `${cluster}.shop`))?.["spec"],
        (await get("applications", cluster, "web"))?.metadata.labels,
      ];
      expect(JSON.stringify(await seen())).not.toContain("devs");
      call[Symbol.dispose]();
      call = side.call(await openHubEnds(cluster, undefined, { groups: ["devs"], labels: ["x.example/*"] }));
      await until(async () => JSON.stringify(await seen()).includes("devs"), "the group is there");
      await until(async () => JSON.stringify(await seen()).includes("x.example/y"), "the label is there");
      expect((await seen())[1]).not.toHaveProperty("team");
    });

    it("shows an operation that somebody asked for on the hub as long as the cluster has one, and none of the cluster's own", async () => {
      side.put("applications", { uid: "c-1", name: "web" });
      await untilSettled("applications", "c-1");
      const said = {
        status: { health: { status: "Healthy" } },
        operation: { sync: { revision: "evil" } },
        refresh: { refresh: "hard" },
      };
      side.putStatus("c-1", said);
      await until(() => side.isSettled("applications.status", "c-1"), "the status is shown");
      const there = await get("applications", cluster, "web");
      expect(there).toMatchObject({ status: said.status });
      expect(there).not.toHaveProperty("operation");
      expect(there?.metadata.annotations).not.toHaveProperty(["argocd.argoproj.io/refresh"]);
    });

    it("shows no more of a cluster than its share, and again what has room when something goes", async () => {
      call[Symbol.dispose]();
      call = side.call(await openHubEnds(cluster, { maxMirrors: 3, maxBytes: 100_000 }));
      for (const index of [1, 2, 3]) side.put("applications", { uid: `c-${index}`, name: `web-${index}` });
      await untilSettled("applications", "c-1", "c-2", "c-3");
      side.put("applications", { uid: "c-4", name: "web-4" });
      await until(() => side.refusalOf("applications", "c-4")?.reason === "quota", "a fourth is refused");
      side.putStatus("c-1", { status: { conditions: [{ type: "x", message: "x".repeat(120_000) }] }, refresh: {} });
      await until(() => side.refusalOf("applications.status", "c-1")?.reason === "quota", "a long status is refused");
      side.put("applications", { uid: "c-2", name: "web-2", spec: specOf("x".repeat(120_000)) });
      await until(() => side.refusalOf("applications", "c-2")?.reason === "quota", "a large spec is refused");
      side.put("applications", { uid: "c-2", name: "web-2", spec: specOf("small") });
      await untilSettled("applications", "c-2");
      side.remove("applications", "c-3");
      await untilSettled("applications", "c-4");
      expect(await namesOf("applications", cluster)).toEqual(["web-1", "web-2", "web-4"]);
    });

    it("refuses a cluster that has the name of the namespace of the hub's Argo CD", async () => {
      await expect(openHubEnds(shared)).rejects.toMatchObject({ code: "GITOPS_NAMESPACE_ARGO" });
    });

    it("refuses a cluster whose name is that of the hub's own cluster to Argo CD", async () => {
      await expect(openHubEnds("in-cluster")).rejects.toMatchObject({ code: "GITOPS_NAME_RESERVED" });
    });

    it("writes nothing once another hub owns the cluster's sync", async () => {
      side.put("applications", { uid: "c-1", name: "web" });
      await untilSettled("applications", "c-1");
      await harness.own(cluster);
      side.put("applications", { uid: "c-1", name: "web", spec: specOf("late") });
      side.put("applications", { uid: "c-2", name: "late" });
      await until(() => side.refusalOf("applications", "c-2") !== undefined, "it is refused");
      expect(await namesOf("applications", cluster)).toEqual(["web"]);
      expect((await get("applications", cluster, "web"))?.["spec"]).not.toHaveProperty("source");
    });

    async function openHubEnds(
      of: string,
      mirrorLimits?: { maxMirrors: number; maxBytes: number },
      policy?: Partial<MirrorPolicy>,
    ): Promise<HubEnds> {
      const [ignore, log] = [() => undefined, { warn: () => undefined, info: () => undefined }];
      return openEnds(
        { mode: "autonomous" },
        {
          objects,
          namespace: of,
          argoNamespace: shared,
          fence: await harness.own(of),
          hubUid: "hub",
          rules: { guardPercent: 20, guardMin: 5 },
          holds: of === cluster ? holds : createMemoryHolds(),
          keptOperations: createMemoryOperations(),
          onWork: ignore,
          onFenced: ignore,
          clock: systemClock,
          random: Math.random,
          log,
          signal: ending.signal,
          mapping: "namespace",
          // Only managed clusters have these.
          destined: undefined,
          shared: createSharedObjects({ objects, namespace: shared, clock: systemClock, log }),
          sharing: {
            argoNamespace: shared,
            sharesGlobalRepositories: false,
            publicUrl: "https://hub.test",
            mirrors: { actions: ["get", "sync"], groups: [], labels: ["*"], ...policy },
          },
          limits: { maxUnackedEntries: 64, maxUnackedBytes: 4 << 20, maxEntryBytes: 4 << 20 },
          ...(mirrorLimits && { mirrorLimits }),
        },
      );
    }

    /** A project as hubs wrote it before. Returns its name. */
    async function makeFormer(of: string, project: string, sourceUid: string): Promise<string> {
      const former = `${of}-${project}`;
      const object = {
        apiVersion: "argoproj.io/v1alpha1",
        kind: "AppProject",
        metadata: {
          name: former,
          namespace: shared,
          labels: { "fairlead.dev/cluster": of, "fairlead.dev/ignore-sync": "true" },
          annotations: {
            "fairlead.dev/source-uid": sourceUid,
            "fairlead.dev/hub-uid": "hub",
            "fairlead.dev/source-version": "1",
            "fairlead.dev/written-hash": "1",
            "fairlead.dev/source-name": `argocd/${project}`,
          },
        },
        spec: { description: "former", destinations: [{ name: of, server: "*", namespace: "*" }] },
      };
      const made = await objects.writeContent({ kind: "projects", object, fence: undefined, signal: ending.signal });
      expect(made.is).toBe("written");
      return former;
    }

    async function untilSettled(flow: Kind, ...uids: readonly string[]): Promise<void> {
      for (const uid of uids) await until(() => side.isSettled(flow, uid), `the hub shows ${uid}`);
    }

    async function untilGone(kind: Kind, namespace: string, of: string): Promise<void> {
      await until(async () => (await get(kind, namespace, of)) === undefined, `${of} is gone`);
    }

    function get(kind: Kind, namespace: string, of: string): Promise<GitopsObject | undefined> {
      return objects.get({ kind, namespace, name: of }, ending.signal);
    }

    async function described(of: string): Promise<unknown> {
      return ((await get("projects", shared, of))?.["spec"] as { description?: unknown } | undefined)?.description;
    }

    async function make(kind: Kind, namespace: string, of: string, spec: object): Promise<GitopsObject> {
      const object = {
        apiVersion: "argoproj.io/v1alpha1",
        kind: kind === "projects" ? "AppProject" : "Application",
        metadata: { name: of, namespace },
        spec: kind === "projects" ? spec : { destination: {}, ...spec },
      };
      const made = await objects.writeContent({ kind, object, fence: undefined, signal: ending.signal });
      if (made.is !== "written" || made.object === undefined) throw new Error(JSON.stringify(made));
      return (await get(kind, namespace, of)) ?? made.object;
    }

    async function versions(): Promise<(string | undefined)[]> {
      const all = [...(await list("applications", cluster)), ...(await list("projects", shared))];
      return all.map(({ metadata }) => metadata.resourceVersion);
    }

    async function namesOf(kind: Kind, namespace: string): Promise<string[]> {
      return (await list(kind, namespace)).map(({ metadata }) => metadata.name).toSorted();
    }

    async function list(kind: Kind, namespace: string): Promise<readonly GitopsObject[]> {
      return await listOnce(objects, { kind, namespace });
    }
  });
}

function specOf(path: string): object {
  return { source: { repoURL: "https://git.example/a", path } };
}

const finalizer = "resources-finalizer.argocd.argoproj.io";
