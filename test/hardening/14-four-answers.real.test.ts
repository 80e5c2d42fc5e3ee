// Unknown, forbidden, not observed and empty are four answers.
import type { DataAge } from "@fairlead/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { call, openTestHub, type TestHub } from "../../packages/hub/src/hub.fixture.ts";
import { addRobot, ask, reportKinds } from "../../packages/hub/src/report.fixture.ts";

let harness: TestHub;
let viewer: string;
let eastViewer: string;
let shopper: string;
let nobody: string;
const pod = { name: "web", namespace: "shop", status: { phase: "Running" } };

beforeAll(async () => {
  harness = await openTestHub();
  expect((await ask(harness, "/api/v1/objects?kind=pods")).json).toMatchObject({ items: [], clusters: [] });
  nobody = await addRobot(harness, "nobody");
  await isRefused("/api/v1/objects?kind=pods", nobody, [403, "OBJECTS_NO_CLUSTER_VISIBLE"]);
  const secrets = { resource: "secrets", kind: "Secret", objects: [{ name: "key", namespace: "shop" }] };
  await reportKinds(harness, "east", [
    { resource: "pods", kind: "Pod", objects: [pod] },
    { resource: "nodes", kind: "Node", namespaced: false, objects: [{ name: "node-0" }] },
    { resource: "configmaps", kind: "ConfigMap" },
    secrets,
  ]);
  await reportKinds(harness, "west", [
    { resource: "pods", kind: "Pod" },
    { group: "example.com", resource: "ships", kind: "Ship" },
  ]);
  const put = { method: "PUT", headers: { ...harness.admin, "content-type": "application/json" } };
  const role = {
    hubRules: [{ verbs: ["list"], resources: ["clusters"] }],
    clusterRules: [{ verbs: ["list", "watch"], resources: ["pods", "configmaps"], namespaces: ["shop", "empty"] }],
  };
  await call(harness.hub.peopleUrl, "/api/v1/roles/shopper", { ...put, body: JSON.stringify(role) });
  viewer = await addRobot(harness, "viewer", { role: "viewer", clusters: { all: true } });
  eastViewer = await addRobot(harness, "east-viewer", { role: "viewer", clusters: { names: ["east"] } });
  shopper = await addRobot(harness, "shopper", { role: "shopper", clusters: { all: true } });
}, 300_000);
afterAll(() => harness?.[Symbol.asyncDispose]());

describe("14: nothing is called empty that isn't", () => {
  test.each(["objects", "changes", "rollups", "inventories"])("%s of a cluster that isn't there", async (path) => {
    const kind = path === "inventories" ? "" : "&kind=pods";
    await isRefused(`/api/v1/${path}?cluster=east,typo${kind}`, undefined, [404, "OBJECTS_CLUSTER_UNKNOWN", '"typo"']);
    // Clusters that the caller may not know of are answered alike.
    await isRefused(`/api/v1/${path}?cluster=west${kind}`, eastViewer, [404, "OBJECTS_CLUSTER_UNKNOWN", '"west"']);
    await isRefused(`/api/v1/${path}?cluster=east`, nobody, [403, "OBJECTS_NO_CLUSTER_VISIBLE", "any cluster"]);
  });

  test.each(["objects", "changes", "rollups"])(
    "%s of kinds that may not be listed, as kubectl says it",
    async (path) => {
      const text = `"robot:east-viewer" isn't allowed to list secrets in cluster "east"`;
      await isRefused(`/api/v1/${path}?kind=secrets`, eastViewer, [403, "OBJECTS_FORBIDDEN", text]);
      const away = `"robot:shopper" isn't allowed to list pods in the namespace "kube-system" of cluster "east"`;
      await isRefused(`/api/v1/${path}?kind=po&cluster=east&namespace=kube-system`, shopper, [
        403,
        "OBJECTS_FORBIDDEN",
        away,
      ]);
      await isRefused(`/api/v1/${path}?kind=nodes&cluster=east`, shopper, [403, "OBJECTS_FORBIDDEN", "nodes"]);
      await isRefused(`/api/v1/${path}?kind=jobs`, shopper, [403, "OBJECTS_FORBIDDEN", "jobs.batch"]);
    },
  );

  test.each(["objects", "changes", "rollups"])(
    "%s of a kind that isn't observed, or that nobody knows",
    async (path) => {
      const observed = [409, "OBJECTS_KIND_NOT_OBSERVED", "--observe-include"] as const;
      await isRefused(`/api/v1/${path}?kind=jobs`, viewer, observed);
      await isRefused(`/api/v1/${path}?kind=ships&cluster=east`, viewer, observed);
      await isRefused(`/api/v1/${path}?kind=sheeps`, viewer, [404, "OBJECTS_KIND_UNKNOWN", "--observe-include"]);
      // Elsewhere is no place that the caller may know of.
      await isRefused(`/api/v1/${path}?kind=ships&cluster=east`, eastViewer, [404, "OBJECTS_KIND_UNKNOWN"]);
    },
  );

  test("what is only partly missing is said with each cluster's age", async () => {
    expect(await missing("kind=pods,ships,secrets", viewer)).toEqual({
      east: ["ships.example.com not-observed", "secrets forbidden"],
      west: ["secrets forbidden"],
    });
    expect(await missing("kind=nodes", viewer)).toEqual({ west: ["nodes not-observed"] });
    expect(await missing("kind=pods", viewer)).toEqual({});
    // Some namespaces only: what is shown is all that the caller may see.
    expect(await missing("kind=pods", shopper)).toEqual({});
  });

  test("what is empty is empty, also where the caller sees a namespace in which nothing is", async () => {
    expect(await namesOf("kind=configmaps", viewer)).toEqual([]);
    expect(await namesOf("kind=pods&namespace=empty", shopper)).toEqual([]);
    expect(await namesOf("kind=configmaps", shopper)).toEqual([]);
    expect(await namesOf("kind=pods&namespace=nowhere", viewer)).toEqual([]);
  });

  test("a namespace doesn't hide what has none", async () => {
    expect(await namesOf("kind=nodes&namespace=shop", viewer)).toEqual(["node-0"]);
    expect(await namesOf("kind=nodes,pods&namespace=shop", viewer)).toEqual(["node-0", "web"]);
    expect(await namesOf("namespace=shop", viewer)).toEqual(["web"]);
  });

  test.each([
    [{ cluster: "typo", kind: "pods" }, "OBJECTS_CLUSTER_UNKNOWN"],
    [{ kind: "jobs" }, "OBJECTS_KIND_NOT_OBSERVED"],
    [{ kind: "sheeps" }, "OBJECTS_KIND_UNKNOWN"],
    [{ kind: "secrets" }, "OBJECTS_FORBIDDEN"],
  ])("a subscription to %j is over with %s", async (filter, code) => {
    expect(await follow(filter, (message) => message["type"] === "error")).toMatchObject({ code });
  });

  test("a subscription says what it lacks with its ages", async () => {
    const ages = await follow({ kind: "nodes" }, ({ type }) => type === "ages");
    const west = (ages["clusters"] as DataAge[]).find(({ cluster }) => cluster === "west");

    expect(west?.missing).toEqual([{ kind: "nodes", reason: "not-observed" }]);
  });
});

async function isRefused(
  path: string,
  token: string | undefined,
  [status, code, text = ""]: readonly [status: number, code: string, text?: string],
): Promise<void> {
  const { status: found, json } = await ask(harness, path, token);
  const problem = json as { code: string };

  expect([found, problem.code], path).toEqual([status, code]);
  expect(JSON.stringify(problem).replaceAll("\\", ""), path).toContain(text);
}

async function missing(query: string, token: string): Promise<Record<string, string[]>> {
  const { json } = await ask(harness, `/api/v1/objects?${query}`, token);
  const clusters = (json as { clusters: DataAge[] }).clusters.filter((age) => age.missing);
  return Object.fromEntries(
    clusters.map((age) => [age.cluster, age.missing?.map(({ kind, reason }) => `${kind} ${reason}`) ?? []]),
  );
}

async function namesOf(query: string, token: string): Promise<string[]> {
  const { status, json } = await ask(harness, `/api/v1/objects?${query}`, token);
  expect(status, query).toBe(200);
  return (json as { items: { name: string }[] }).items.map(({ name }) => name);
}

/** The first message of a viewer's subscription that is wanted. */
async function follow(
  filter: object,
  isWanted: (message: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  const url = `${harness.hub.peopleUrl.replace("https:", "wss:")}/api/v1/live`;
  const headers = { authorization: `Bearer ${viewer}` };
  const socket = new WebSocket(url, "fairlead.live.v1", { ca: harness.hub.caPem, headers });
  try {
    return await new Promise((resolve, reject) => {
      socket.on("error", reject);
      socket.on("close", () => reject(new Error("the connection has ended")));
      socket.on("open", () => socket.send(JSON.stringify({ type: "subscribe", id: "s", filter })));
      socket.on("message", (data) => {
        const message = JSON.parse(String(data)) as Record<string, unknown>;
        if (isWanted(message)) resolve(message);
      });
    });
  } finally {
    socket.terminate();
  }
}
