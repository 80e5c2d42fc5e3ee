import type { ApplicationDetail, ApplicationList } from "@fairlead/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, openTestHub, type TestAnswer, type TestHub } from "../../../hub.fixture.ts";

let harness: TestHub;
beforeAll(async () => {
  harness = await openTestHub();
  for (const name of ["east", "north", "west"]) await ask("POST", "/api/v1/clusters", { name });
  for (const name of ["east", "west"]) await ask("PUT", `/api/v1/clusters/${name}/gitops`, { mode: "managed" });
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

it("makes applications for managed clusters, lists them over all, page by page, and removes them", async () => {
  for (const cluster of ["east", "west"])
    for (const name of ["one", "two"]) expect((await put(cluster, name, { labels: { app: name } })).status).toBe(200);
  expect(await list("")).toEqual(["east/one", "east/two", "west/one", "west/two"]);
  expect(await list("?cluster=west&labelSelector=app%3Dtwo")).toEqual(["west/two"]);
  expect(await list("?sync=Synced")).toEqual([]);
  const first = (await ask("GET", "/api/v1/applications?limit=3")).json as ApplicationList;
  expect(first.items).toHaveLength(3);
  expect(await list(`?limit=3&cursor=${encodeURIComponent(first.next ?? "")}`)).toEqual(["west/two"]);
  expect((await ask("DELETE", pathOf("west", "two"))).status).toBe(204);
  expect(await code("GET", pathOf("west", "two"))).toBe("GITOPS_APPLICATION_NOT_FOUND");
});

it("replaces a spec, and only that version of it that the caller says", async () => {
  const made = (await put("east", "shop", { labels: { team: "a" } })).json as ApplicationDetail;
  const changed = (await put("east", "shop", { resourceVersion: made.resourceVersion, spec: specOf("next") }))
    .json as ApplicationDetail;
  expect(changed).toMatchObject({ spec: specOf("next"), labels: { team: "a" } });
  const body = { spec: specOf("late"), resourceVersion: made.resourceVersion };
  expect(await code("PUT", pathOf("east", "shop"), body)).toBe("GITOPS_APPLICATION_CONFLICT");
  const onlyNew = { spec: specOf("new"), resourceVersion: "0" };
  expect(await code("PUT", pathOf("east", "shop"), onlyNew)).toBe("GITOPS_APPLICATION_CONFLICT");
  expect((await ask("PUT", pathOf("east", "fresh"), onlyNew)).status).toBe(200);
  await ask("DELETE", pathOf("east", "fresh"));
});

it("asks for a sync once, ends it, rolls back to what was, and asks for a refresh", async () => {
  await put("east", "work");
  await ask("POST", `${pathOf("east", "work")}/sync`, { revision: "main", prune: true });
  expect(await stored("work")).toMatchObject({ operation: { sync: { revision: "main", prune: true } } });
  expect(await code("POST", `${pathOf("east", "work")}/sync`)).toBe("GITOPS_OPERATION_RUNNING");
  expect(await code("POST", `${pathOf("east", "work")}/terminate`)).toBe("GITOPS_OPERATION_NONE");
  await say("work", { operationState: { phase: "Running", startedAt: "2030-01-01T00:00:00Z" } });
  await ask("POST", `${pathOf("east", "work")}/terminate`);
  expect(await stored("work")).toMatchObject({ status: { operationState: { phase: "Terminating" } } });
  await say("work", {
    history: [
      { id: 4, revision: "abc", source: { path: "old" } },
      { id: 5, revision: "def" },
    ],
  });
  const { json } = await ask("GET", `${pathOf("east", "work")}/history`);
  expect(json).toEqual({
    items: [
      { id: 5, revision: "def" },
      { id: 4, revision: "abc" },
    ],
  });
  expect(await code("POST", `${pathOf("east", "work")}/rollback`, { id: 1 })).toBe("GITOPS_HISTORY_NOT_FOUND");
  await ask("POST", `${pathOf("east", "work")}/rollback`, { id: 4 });
  expect(await stored("work")).toMatchObject({ operation: { sync: { revision: "abc", source: { path: "old" } } } });
  await ask("POST", `${pathOf("east", "work")}/refresh`, { hard: true });
  expect(await stored("work")).toMatchObject({ metadata: { annotations: { "argocd.argoproj.io/refresh": "hard" } } });
});

it("makes none where the hub exchanges none, in another cluster's namespace, or for autonomous clusters", async () => {
  expect(await code("PUT", pathOf("north", "shop"), { spec: {} })).toBe("GITOPS_OFF");
  const path = "/api/v1/clusters/east/applications/west/shop";
  expect(await code("PUT", path, { spec: {} })).toBe("GITOPS_APPLICATION_ELSEWHERE");
  expect(await code("GET", "/api/v1/clusters/east/applications/west/one")).toBe("GITOPS_APPLICATION_NOT_FOUND");
  await put("west", "own");
  await ask("PUT", "/api/v1/clusters/west/gitops", { mode: "autonomous" });
  for (const [method, body] of [["PUT", { spec: {} }], ["DELETE"]] as const)
    expect(await code(method, pathOf("west", "own"), body)).toBe("GITOPS_CLUSTER_AUTONOMOUS");
  expect((await ask("POST", `${pathOf("west", "own")}/sync`)).status).toBe(200);
});

it("refuses modes and mappings that it doesn't have, and clusters that there aren't", async () => {
  const settings = "/api/v1/clusters/north/gitops";
  expect(await code("PUT", settings, { mode: "managed", mapping: "destination" })).toBe("GITOPS_MAPPING_NEEDS_ARGO");
  expect(await code("PUT", settings, { mode: "other" })).toBe("GITOPS_REQUEST_INVALID");
  expect(await code("PUT", "/api/v1/clusters/none/gitops", { mode: "managed" })).toBe("GITOPS_CLUSTER_NOT_FOUND");
  expect((await ask("GET", settings)).json).toMatchObject({ cluster: "north", mode: "off", generation: 0 });
  expect((await ask("PUT", settings, { mode: "autonomous" })).json).toMatchObject({ mode: "autonomous" });
});

it("tells what the hub doesn't take", async () => {
  expect(await code("PUT", pathOf("east", "Shop!"), { spec: {} })).toBe("GITOPS_APPLICATION_REFUSED");
  expect(await code("PUT", pathOf("east", "shop"), { spec: 1 })).toBe("GITOPS_REQUEST_INVALID");
});

it("lets applications go that wait for a cluster which is removed, and says how many", async () => {
  await ask("POST", "/api/v1/clusters", { name: "south" });
  await ask("PUT", "/api/v1/clusters/south/gitops", { mode: "managed" });
  const finalizers = ["resources-finalizer.argocd.argoproj.io"];
  for (const name of ["bound", "kept"]) expect((await put("south", name, { finalizers })).status).toBe(200);
  await ask("DELETE", pathOf("south", "bound"));
  const leaving = { cluster: "south", applications: 2, deleting: 1 };
  expect((await ask("GET", "/api/v1/clusters/south/gitops/leaving")).json).toEqual(leaving);
  expect((await ask("POST", "/api/v1/clusters/south/gitops/leaving")).json).toEqual(leaving);
  expect(await stored("bound")).toMatchObject({ metadata: { finalizers } });
  expect((await ask("DELETE", "/api/v1/clusters/south")).status).toBe(204);
  const names = async () => (await storedNames()).filter((name) => ["bound", "kept"].includes(name));
  await expect.poll(names).toEqual(["kept"]);
});

/** As the cluster's Argo CD would have. */
async function say(name: string, status: object): Promise<void> {
  const { operation: _, ...object } = (await stored(name)) as { operation?: unknown };
  const body = JSON.stringify({ ...object, status });
  await sql`update gitops_object set body = ${body} where name = ${name}`.execute(harness.store.db);
}

async function stored(name: string): Promise<unknown> {
  const { body } = await harness.store.db
    .selectFrom("gitops_object")
    .select("body")
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return JSON.parse(body);
}

async function storedNames(): Promise<string[]> {
  return (await harness.store.db.selectFrom("gitops_object").select("name").execute()).map(({ name }) => name);
}

async function list(query: string): Promise<string[]> {
  const { json } = await ask("GET", `/api/v1/applications${query}`);
  return (json as ApplicationList).items.map(({ cluster, name }) => `${cluster}/${name}`);
}

function put(cluster: string, name: string, more: object = {}): Promise<TestAnswer> {
  return ask("PUT", pathOf(cluster, name), { spec: specOf(name), ...more });
}

async function code(method: string, path: string, body?: object): Promise<string | undefined> {
  return ((await ask(method, path, body)).json as { code?: string } | undefined)?.code;
}

function ask(method: string, path: string, body?: object): Promise<TestAnswer> {
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  return call(harness.hub.peopleUrl, path, { method, headers: { ...harness.admin, ...json }, ...content });
}

function pathOf(cluster: string, name: string): string {
  return `/api/v1/clusters/${cluster}/applications/${cluster}/${encodeURIComponent(name)}`;
}

function specOf(path: string): object {
  return {
    project: "default",
    destination: { name: "in-cluster" },
    source: { repoURL: "https://git.example/a", path },
  };
}
