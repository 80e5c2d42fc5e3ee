import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { matchesFilter, readFilter, toConditions } from "./filter.ts";
import { caller, nowMs, type ObjectsHarness, setObjectsHarness, when } from "./objects-harness.fixture.ts";
import { readOrder } from "./order.ts";

let harness: ObjectsHarness;
const both = ["east", "west"];
const everything = { principal: caller("everything", { clusters: both }), nowMs };

beforeAll(async () => {
  harness = await setObjectsHarness();
  for (const cluster of both) {
    const web = { name: "web", namespace: "shop", spec: { replicas: 1 }, status: {} };
    const owner = await harness.add(cluster, "deployments.apps", web);
    const set = await harness.add(cluster, "replicasets.apps", { name: "web-1", namespace: "shop", owner });
    const pod = await harness.add(cluster, "pods", {
      name: "web-1-a",
      namespace: "shop",
      labels: { app: "web" },
      owner: set,
      createdAt: "2026-01-01T10:00:00.000Z",
      spec: { nodeName: "node-0", containers: [{ name: "main", image: "registry/web:1" }] },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    });
    await harness.add(cluster, "pods", {
      name: "db",
      namespace: "data",
      labels: { app: "db", tier: "back" },
      createdAt: "2026-01-01T11:00:00.000Z",
      spec: { nodeName: "node-1", containers: [{ name: "main", image: "registry/db:2" }] },
      status: { phase: "Failed" },
    });
    const involvedObject = { uid: pod, kind: "Pod", name: "web-1-a" };
    await harness.add(cluster, "events", { name: "web.1", namespace: "shop", involvedObject });
    const status = { conditions: [{ type: "Ready", status: "True" }] };
    await harness.add(cluster, "nodes", { name: "node-0", status });
    await harness.add(cluster, "secrets", { name: "key", namespace: "shop" });
  }
}, 60_000);

afterAll(() => harness?.[Symbol.asyncDispose]());
beforeEach(() => harness.freshness.clear());

const list = (query: object) => harness.objects.list(query, everything);

type Asked = Parameters<ObjectsHarness["objects"]["get"]>[0];
const get = (asked: Asked) => harness.objects.get(asked, everything);

const names = async (query: object, asking = everything): Promise<string[]> => {
  const { items } = await harness.objects.list(query, asking);
  return items.map(({ cluster, namespace, name }) => [cluster, namespace, name].filter(Boolean).join("/"));
};

describe("a list", () => {
  test.each(["pods", "pod", "po", "Pod", "pods.v1"])("finds a kind by %s", async (kind) => {
    expect(await names({ kind })).toEqual(["east/data/db", "west/data/db", "east/shop/web-1-a", "west/shop/web-1-a"]);
  });

  test("prefers the core group where a name means several kinds", async () => {
    expect((await list({ kind: "ev" })).tables.map(({ kind }) => kind)).toEqual(["events"]);
  });

  test("is refused for a kind that no cluster has", async () => {
    await expect(list({ kind: "ships" })).rejects.toMatchObject({
      code: "OBJECTS_KIND_UNKNOWN",
    });
  });

  test.each([
    [{ cluster: "west" }, ["west/data/db", "west/shop/web-1-a"]],
    [{ clusterSelector: "side in (east)" }, ["east/data/db", "east/shop/web-1-a"]],
    [{ namespace: "data" }, ["east/data/db", "west/data/db"]],
    [{ labelSelector: "app=web,tier!=back", cluster: "east" }, ["east/shop/web-1-a"]],
    [{ labelSelector: "tier", cluster: "east" }, ["east/data/db"]],
    [{ fieldSelector: "spec.nodeName=node-1", cluster: "east" }, ["east/data/db"]],
    [{ fieldSelector: "status.phase!=Running", cluster: "east" }, ["east/data/db"]],
    [{ search: "REGISTRY/WEB", cluster: "east" }, ["east/shop/web-1-a"]],
    [{ search: "100%", cluster: "east" }, []],
    [{ health: "Degraded", cluster: "east" }, ["east/data/db"]],
    [{ owner: "east-replicasets.apps-shop-web-1" }, ["east/shop/web-1-a"]],
    [{ name: "db", cluster: "east" }, ["east/data/db"]],
  ])("of pods with %j", async (query, expected) => {
    expect(await names({ kind: "pods", ...query })).toEqual(expected);
  });

  test.each(["app in", "=x", "a b", "a=b,,c", "app=web;drop"])("refuses the selector %s", async (labelSelector) => {
    await expect(list({ kind: "pods", labelSelector })).rejects.toMatchObject({
      code: "OBJECTS_SELECTOR_INVALID",
    });
  });

  test.each(["name", "-name", "cluster", "kind", "age", "-age", "changed", "-health"])(
    "by %s in pages is the list in one",
    async (sort) => {
      const whole = await names({ sort, kind: "pods,nodes,deployments" });
      const paged: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ sort, kind: "pods,nodes,deployments", limit: 3, ...(cursor && { cursor }) });
        paged.push(
          ...page.items.map(({ cluster, namespace, name }) => [cluster, namespace, name].filter(Boolean).join("/")),
        );
        cursor = page.next;
      } while (cursor !== undefined);

      expect(whole).toHaveLength(8);
      expect(paged).toEqual(whole);
    },
  );

  test("has the youngest first by age", async () => {
    expect(await names({ kind: "pods", cluster: "east", sort: "age" })).toEqual(["east/data/db", "east/shop/web-1-a"]);
  });

  test.each([
    "x",
    Buffer.from('["-name","a"]').toString("base64url"),
    Buffer.from('["name",1,2,3,4,5]').toString("base64url"),
    Buffer.from('["age","x","east","pods","u"]').toString("base64url"),
    Buffer.from('["age","NaN","east","pods","u"]').toString("base64url"),
    Buffer.from('["changed","infinity","east","pods","u"]').toString("base64url"),
    Buffer.from('["changed","2026-01-01","east","pods","u"]').toString("base64url"),
  ])("refuses the cursor %s", async (cursor) => {
    const sort = /^\["(age|changed)/.exec(Buffer.from(cursor, "base64url").toString())?.[1];
    await expect(list({ kind: "pods", cursor, ...(sort && { sort }) })).rejects.toMatchObject({
      code: "OBJECTS_CURSOR_INVALID",
    });
  });

  test("shows what kubectl shows, and the object when it is asked for", async () => {
    const { items, tables } = await list({ kind: "pods", name: "web-1-a", include: "object" });

    expect(tables[0]?.columns.slice(0, 3).map(({ name }) => name)).toEqual(["Name", "Ready", "Status"]);
    expect(items[0]?.health).toBe("Healthy");
    expect(items[0]?.cells.slice(0, 3)).toEqual(["web-1-a", "0/1", "Running"]);
    expect(items[0]?.object).toMatchObject({ spec: { nodeName: "node-0" } });
  });
});

describe("how old an answer is", () => {
  test("is said for each cluster, also for one that is away", async () => {
    harness.freshness.set("west", { state: "offline", ageMs: 90_000 });

    const { items, clusters } = await list({ kind: "pods" });

    expect(items).toHaveLength(4);
    expect(clusters).toMatchObject([
      { cluster: "east", state: "connected", ageMs: 1_000 },
      { cluster: "west", state: "offline" },
    ]);
  });

  test("leaves out kinds that were not asked for, and tells of those that can't be seen", async () => {
    const since = when;
    harness.freshness.set("east", {
      kinds: [
        { kind: "pods", state: "synced", since, verifiedAt: when, ageMs: 5, objects: 2 },
        { kind: "nodes", state: "unavailable", since, code: "KUBE_FORBIDDEN", message: "no right to", objects: 0 },
      ],
    });

    const [age] = (await list({ kind: "pods", cluster: "east" })).clusters;
    const [nodes] = (await list({ kind: "nodes", cluster: "east" })).clusters;

    expect(age).toEqual({ cluster: "east", state: "connected", verifiedAt: when, ageMs: 5 });
    expect(nodes?.troubles).toMatchObject([{ kind: "nodes", state: "unavailable", code: "KUBE_FORBIDDEN" }]);
  });
});

describe("what a caller may see", () => {
  const shopper = { principal: caller("shopper", { clusters: ["east"], namespaces: ["shop"] }), nowMs };
  const nobody = { principal: caller("nobody", { clusters: [] }), nowMs };

  test("is their clusters and namespaces", async () => {
    expect(await names({ kind: "pods" }, shopper)).toEqual(["east/shop/web-1-a"]);
    const data = harness.objects.list({ kind: "pods", namespace: "data" }, shopper);
    await expect(data).rejects.toMatchObject({ code: "OBJECTS_FORBIDDEN" });
    const west = harness.objects.list({ kind: "pods", cluster: "west" }, shopper);
    await expect(west).rejects.toMatchObject({ code: "OBJECTS_CLUSTER_UNKNOWN" });
    await expect(harness.objects.list({ kind: "nodes" }, shopper)).rejects.toMatchObject({ code: "OBJECTS_FORBIDDEN" });
  });

  test("is nothing of what their roles leave out", async () => {
    await expect(harness.objects.list({ kind: "secrets" }, shopper)).rejects.toMatchObject({
      code: "OBJECTS_FORBIDDEN",
    });
    expect(await names({ kind: "secrets" })).toEqual(["east/shop/key", "west/shop/key"]);
  });

  test("isn't counted either", async () => {
    const { items, clusters } = await harness.objects.count({ by: "kind,namespace" }, shopper);
    const { items: kinds } = await harness.objects.kinds(shopper);

    expect(items.map(({ kind, namespace, objects }) => `${kind} ${namespace} ${objects}`)).toEqual([
      "deployments.apps shop 1",
      "events shop 1",
      "pods shop 1",
      "replicasets.apps shop 1",
    ]);
    expect(clusters.map(({ cluster }) => cluster)).toEqual(["east"]);
    expect(kinds.find(({ kind }) => kind === "secrets")).toBeUndefined();
    expect(kinds.find(({ kind }) => kind === "pods")).toMatchObject({ objects: 1, clusters: 1 });
  });

  test("isn't in the changes either", async () => {
    const changes = await harness.objects.changes({ since: "2026-01-01T00:00:00Z" }, shopper);

    expect(new Set(changes.items.map(({ object }) => `${object.cluster} ${object.namespace}`))).toEqual(
      new Set(["east shop"]),
    );
    expect(changes.items.some(({ object }) => object.kind === "secrets")).toBe(false);
  });

  test("can't be had by its uid or its name", async () => {
    const hidden = { code: "OBJECTS_NOT_FOUND" };
    await expect(harness.objects.get({ cluster: "east", uid: "east-pods-data-db" }, shopper)).rejects.toMatchObject(
      hidden,
    );
    await expect(
      harness.objects.get({ cluster: "west", uid: "west-pods-shop-web-1-a" }, shopper),
    ).rejects.toMatchObject(hidden);
    await expect(harness.objects.get({ cluster: "east", uid: "east-secrets-shop-key" }, shopper)).rejects.toMatchObject(
      hidden,
    );
    const named = { cluster: "east", kind: "pods", namespace: "data", name: "db" };
    await expect(harness.objects.getNamed(named, shopper)).rejects.toMatchObject(hidden);
  });

  test("isn't counted for a cluster's own page either", async () => {
    const viewer = { principal: caller("viewer", { clusters: ["east"] }), nowMs };
    const counted = async (asking: typeof shopper): Promise<string[]> => {
      const { kinds } = await harness.objects.inventory("east", asking);
      return kinds.filter(({ objects }) => objects !== undefined).map(({ kind }) => kind);
    };

    expect(await counted(everything)).toContain("secrets");
    expect(await counted(viewer)).toContain("pods");
    expect(await counted(viewer)).not.toContain("secrets");
    expect(await counted(shopper)).toEqual([]);
  });

  test("without any role is no cluster at all", async () => {
    const refused = { code: "OBJECTS_NO_CLUSTER_VISIBLE" };
    await expect(harness.objects.list({ kind: "pods" }, nobody)).rejects.toMatchObject(refused);
    await expect(harness.objects.inventories({}, nobody)).rejects.toMatchObject(refused);
  });
});

describe("one object", () => {
  test("has its owners upwards, its children and its events", async () => {
    const pod = await harness.objects.getNamed(
      { cluster: "east", kind: "po", namespace: "shop", name: "web-1-a" },
      everything,
    );
    const deployment = await get({ cluster: "east", uid: "east-deployments.apps-shop-web" });

    expect(pod.owners.map(({ kindName, name }) => `${kindName} ${name}`)).toEqual([
      "ReplicaSet web-1",
      "Deployment web",
    ]);
    expect(pod.events.map(({ name }) => name)).toEqual(["web.1"]);
    expect(pod.item.object).toMatchObject({ metadata: { name: "web-1-a" } });
    expect(deployment.children.map(({ name }) => name)).toEqual(["web-1"]);
  });

  test("that is a node has the events that kubelets make about it by its name", async () => {
    await harness.add("east", "nodes", { name: "noisy" });
    const involvedObject = { kind: "Node", name: "noisy", uid: "noisy" };
    await harness.add("east", "events", { name: "noisy.1", namespace: "default", involvedObject });
    const { events } = await get({ cluster: "east", uid: "east-nodes--noisy" });

    expect(events.map(({ name }) => name)).toEqual(["noisy.1"]);
    for (const uid of ["east-nodes--noisy", "east-events-default-noisy.1"]) {
      await harness.change(uid, { deletedAt: new Date(0) });
    }
  });

  test("whose owners go in a circle doesn't hold anybody up", async () => {
    await harness.add("east", "pods", { name: "hen", namespace: "loop", owner: "east-pods-loop-egg" });
    const egg = await harness.add("east", "pods", { name: "egg", namespace: "loop", owner: "east-pods-loop-hen" });

    const { owners } = await get({ cluster: "east", uid: egg });

    expect(owners.map(({ name }) => name)).toEqual(["hen"]);
    for (const name of ["hen", "egg"]) await harness.change(`east-pods-loop-${name}`, { deletedAt: new Date(0) });
  });
});

test("changes are the newest first, and those of the status alone only when they are asked for", async () => {
  const at = (minute: number): Date => new Date(Date.parse(when) + minute * 60_000);
  await harness.change("west-pods-data-db", { change: "deleted", changedAt: at(3), deletedAt: at(3) });
  await harness.change("west-pods-shop-web-1-a", { change: "status", changedAt: at(2), specChangedAt: at(-60) });
  const query = { kind: "pods", cluster: "west", since: at(1).toISOString() };
  const asked = async (more: object): Promise<string[]> => {
    const { items } = await harness.objects.changes({ ...query, ...more }, everything);
    return items.map(({ change, object }) => `${change} ${object.name}`);
  };

  expect(await asked({})).toEqual(["deleted db"]);
  expect(await asked({ status: true })).toEqual(["deleted db", "status web-1-a"]);
  expect(await asked({ status: true, until: at(3).toISOString() })).toEqual(["status web-1-a"]);
  expect(await names({ kind: "pods", cluster: "west" })).toEqual(["west/shop/web-1-a"]);
});

test("Events are among the changes only when they are asked for", async () => {
  const since = "2026-01-01T00:00:00Z";
  const kindsOf = async (query: object): Promise<Set<string>> =>
    new Set((await harness.objects.changes({ since, ...query }, everything)).items.map(({ object }) => object.kind));

  expect(await kindsOf({})).not.toContain("events");
  expect(await kindsOf({ kind: "pods,events" })).toEqual(new Set(["pods", "events"]));
});

test("forty searches at a time of one caller are theirs to wait for", async () => {
  const search = () => list({ kind: "pods", search: "web" });
  // Listened to at once: those that are refused reject while the others still ask.
  const searches = Promise.allSettled(Array.from({ length: 40 }, search));
  const other = { principal: caller("viewer", { clusters: ["east"] }), nowMs };
  const others = await Promise.all([
    list({ kind: "deployments" }),
    harness.objects.list({ kind: "deployments", search: "web" }, other),
  ]);
  const settled = await searches;

  expect(others.map(({ items }) => items.length)).toEqual([2, 1]);
  expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
  const refused = settled.find(({ status }) => status === "rejected");
  expect(refused).toMatchObject({ reason: { code: "OBJECTS_TOO_BUSY", httpStatus: 429 } });
});

test("counts by health", async () => {
  const { items } = await harness.objects.count({ kind: "pods", cluster: "east", by: "cluster" }, everything);

  expect(items).toEqual([{ cluster: "east", objects: 2, health: { Healthy: 1, Degraded: 1 } }]);
});

test("whatever a filter asks, the database and the filter in memory agree", async () => {
  const rows = await all();
  const key = fc.constantFrom("app", "tier", "none");
  const value = fc.constantFrom("web", "db", "back", "");
  const label = fc.oneof(
    fc.tuple(key, fc.constantFrom("=", "==", "!="), value).map((parts) => parts.join("")),
    fc
      .tuple(key, fc.constantFrom("in", "notin"), fc.array(value, { minLength: 1, maxLength: 3 }))
      .map(([one, word, values]) => `${one} ${word} (${values.join(",")})`),
    key,
    key.map((one) => `!${one}`),
  );
  const field = fc
    .tuple(
      fc.constantFrom(
        "spec.nodeName",
        "status.phase",
        "metadata.name",
        "spec.absent",
        "spec.replicas",
        "spec",
        "metadata",
      ),
      fc.constantFrom("=", "!="),
      fc.constantFrom("node-0", "Running", "web", "1", ""),
    )
    .map((parts) => parts.join(""));
  const filters = fc.record(
    {
      labelSelector: fc.array(label, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(",")),
      fieldSelector: fc.array(field, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(",")),
      namespace: fc.constantFrom("shop", "data", "shop,data"),
      search: fc.constantFrom("web", "registry", "app=", "BACK", "_", "%"),
      health: fc.constantFrom("Healthy", "Degraded,Unknown"),
    },
    { requiredKeys: [] },
  );

  await fc.assert(
    fc.asyncProperty(filters, async (asked) => {
      const filter = readFilter(asked);
      const found = new Set((await all(filter)).map(({ uid }) => uid));
      for (const row of rows)
        expect(matchesFilter(filter, row), `${row.uid} ${JSON.stringify(asked)}`).toBe(found.has(row.uid));
    }),
    { numRuns: 60 },
  );

  async function all(filter = readFilter({})) {
    const { scopes } = await harness.objects.requests.read({}, everything);
    const { rows: found } = await harness.objects.store.list({
      scopes,
      conditions: toConditions(filter),
      order: readOrder(),
      after: undefined,
      limit: 1_000,
      maxBytes: 1e9,
    });
    return found;
  }
}, 60_000);
