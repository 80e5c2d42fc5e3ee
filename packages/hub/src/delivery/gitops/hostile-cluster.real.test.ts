// What a cluster may try whose agent says whatever it likes. The rules about names, marks and fields have tests of their own.
import { systemClock } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import type { GitopsObject } from "@fairlead/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ClusterSide } from "./cluster-side.fixture.ts";
import { createMemoryHolds, createMemoryOperations } from "./memory-holds.fixture.ts";
import { createSharedObjects } from "./shared/index.ts";
import { openStoreHarness, type StoreHarness } from "./store/stored-objects-harness.fixture.ts";
import { openEnds } from "./sync/index.ts";

let harness: StoreHarness;
let ending: AbortController;
let calls: DisposableStack;
let east: string;
let west: string;
let shared: string;

beforeAll(async () => {
  harness = await openStoreHarness();
}, 300_000);
afterAll(() => harness?.[Symbol.asyncDispose]());
beforeEach(async () => {
  [east, west, shared] = [await harness.newNamespace(), await harness.newNamespace(), await harness.newNamespace()];
  ending = new AbortController();
  calls = new DisposableStack();
});
afterEach(() => {
  calls.dispose();
  ending.abort();
});

test("of 100,000 applications the hub shows a cluster's share, tells why of each other one, and others notice nothing", async () => {
  const hostile = await open(east, { maxMirrors: 100, maxBytes: 10_000_000 });
  for (let index = 0; index < 100_000; index++)
    hostile.put("applications", { uid: `u-${index}`, name: `web-${index}` });
  await until(() => hostile.sent("applications") > 1_000, "the flood has begun");
  const other = await open(west);
  other.put("applications", { uid: "c-1", name: "web" });
  await until(() => other.isSettled("applications", "c-1"), "the other cluster's application is shown");
  expect(hostile.sent("applications")).toBeLessThan(100_000);
  await until(() => hostile.sent("applications") >= 100_000, "all were said", { timeoutMs: 400_000 });
  // Each look goes over all of them.
  await until(() => hostile.refusals("applications").length === 99_900, "all others are refused", {
    timeoutMs: 400_000,
    intervalMs: 1_000,
  });
  expect(new Set(hostile.refusals("applications").map(({ reason }) => reason))).toEqual(new Set(["quota"]));
  expect(await list("applications", east)).toHaveLength(100);
}, 900_000);

test("a status of two megabytes is refused, what was shown before stays, and so does the cluster's exchange", async () => {
  const side = await open(east);
  side.put("applications", { uid: "c-1", name: "web" });
  await until(() => side.isSettled("applications", "c-1"), "it is shown");
  const status = { health: { status: "Healthy" } };
  side.putStatus("c-1", { status, refresh: {} });
  await until(() => side.isSettled("applications.status", "c-1"), "the status is shown");
  side.putStatus("c-1", { status: { conditions: [{ type: "x", message: "x".repeat(2_000_000) }] }, refresh: {} });
  await until(() => side.refusalOf("applications.status", "c-1")?.reason === "too-large", "it is too large");
  side.putStatus("c-1", { status: "none", refresh: {} } as never);
  await until(() => side.refusalOf("applications.status", "c-1")?.reason === "invalid", "it is none");
  expect(await get("applications", east, "web")).toMatchObject({ status });
  side.put("applications", { uid: "c-2", name: "next" });
  await until(() => side.isSettled("applications", "c-2"), "the next one is shown");
});

test("another cluster's uids give a cluster nothing of that one's, neither to write nor to delete", async () => {
  const victim = await open(west);
  victim.put("applications", { uid: "u-1", name: "web", spec: specOf("own") });
  victim.put("projects", { uid: "u-2", name: "shop", spec: { description: "own" } });
  await until(() => victim.isSettled("applications", "u-1") && victim.isSettled("projects", "u-2"), "both are shown");
  const before = [await get("applications", west, "web"), await get("projects", shared, `${west}.shop`)];
  const uid = before[0]?.metadata.uid ?? "";
  const hostile = await open(east);
  hostile.put("applications", { uid: "u-1", name: "web", spec: specOf("evil"), copyOf: uid });
  hostile.put("applications", { uid, name: "other", spec: specOf("evil"), copyOf: uid });
  hostile.put("projects", { uid: "u-2", name: "shop", spec: { description: "evil" } });
  hostile.putStatus("u-1", { status: { health: { status: "Degraded" } }, refresh: {} });
  await until(
    () => hostile.isSettled("applications", "u-1") && hostile.isSettled("projects", "u-2"),
    "its own are shown",
  );
  for (const one of ["u-1", uid]) hostile.remove("applications", one);
  hostile.remove("projects", "u-2");
  await until(async () => (await list("applications", east)).length === 0, "its own are gone");
  await until(async () => (await get("projects", shared, `${east}.shop`)) === undefined, "its project is gone");
  expect([await get("applications", west, "web"), await get("projects", shared, `${west}.shop`)]).toEqual(before);
});

test("finalizers, owners and operations of a cluster aren't on the hub, whatever it says and however often", async () => {
  const side = await open(east);
  const finalizers = ["resources-finalizer.argocd.argoproj.io", "foregroundDeletion", "x.example/y"];
  const owner = { ownerReferences: [{ apiVersion: "v1", kind: "Namespace", name: "argocd", uid: "1" }] };
  side.put("applications", { uid: "c-1", name: "web", finalizers, ...owner, spec: { ...specOf("a"), ...owner } });
  await until(() => side.isSettled("applications", "c-1"), "it is shown");
  for (const revision of ["one", "two"]) {
    const operation = { initiatedBy: { username: "admin" }, sync: { revision } };
    side.putStatus("c-1", {
      status: { sync: { revision } },
      operation,
      refresh: { refresh: "hard" },
      ...owner,
    } as never);
    await until(() => side.isSettled("applications.status", "c-1"), "the status is shown");
  }
  const shown = await get("applications", east, "web");
  expect(shown).toMatchObject({ status: { sync: { revision: "two" } } });
  expect(shown?.metadata.finalizers ?? []).toEqual([]);
  expect(JSON.stringify(shown)).not.toMatch(/ownerReferences|initiatedBy|"hard"/);
});

async function open(of: string, mirrorLimits?: { maxMirrors: number; maxBytes: number }): Promise<ClusterSide> {
  const ignore = (): void => undefined;
  const log = { warn: ignore, info: ignore };
  const { objects } = harness;
  const ends = openEnds(
    { mode: "autonomous" },
    {
      objects,
      namespace: of,
      argoNamespace: shared,
      fence: await harness.own(of),
      hubUid: "hub",
      rules: { guardPercent: 100, guardMin: 5 },
      holds: createMemoryHolds(),
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
        mirrors: { actions: ["get", "sync"], groups: [], labels: ["*"] },
      },
      limits: { maxUnackedEntries: 64, maxUnackedBytes: 4 << 20, maxEntryBytes: 4 << 20 },
      ...(mirrorLimits && { mirrorLimits }),
    },
  );
  const side = new ClusterSide();
  calls.use(side.call(ends));
  return side;
}

function get(kind: "applications" | "projects", namespace: string, name: string): Promise<GitopsObject | undefined> {
  return harness.objects.get({ kind, namespace, name }, ending.signal);
}

async function list(kind: "applications", namespace: string): Promise<readonly GitopsObject[]> {
  const stop = new AbortController();
  const listed = Promise.withResolvers<readonly GitopsObject[]>();
  const ignore = (): void => undefined;
  const watching = harness.objects.watch({
    kind,
    namespace,
    labelSelector: "",
    signal: stop.signal,
    handler: { listed: listed.resolve, changed: ignore, deleted: ignore, unavailable: ignore },
  });
  try {
    return await listed.promise;
  } finally {
    stop.abort();
    await watching.catch(ignore);
  }
}

function specOf(path: string): object {
  return { source: { repoURL: "https://git.example/a", path } };
}
