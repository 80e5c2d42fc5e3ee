// A cluster's agent says whatever it likes of kinds that others have, too.
import type { KindInfo, ObjectList } from "@fairlead/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestHub, type TestHub } from "../../packages/hub/src/hub.fixture.ts";
import { addRobot, ask, reportKinds } from "../../packages/hub/src/report.fixture.ts";

let harness: TestHub;
let shopper: string;
const web = { name: "web", namespace: "shop", spec: { replicas: 2 } };
const ship = { name: "ark", namespace: "shop", spec: { port: "Ararat" } };
const portColumn = { name: "Port", type: "string", jsonPath: ".spec.port" };
const honest = [
  { group: "apps", resource: "deployments", kind: "Deployment", shortNames: ["deploy"], objects: [web] },
  { resource: "nodes", kind: "Node", namespaced: false, objects: [{ name: "node-0" }] },
  { resource: "secrets", kind: "Secret", objects: [{ name: "key", namespace: "shop" }] },
  {
    group: "fairlead.dev",
    resource: "checks",
    kind: "Check",
    namespaced: false,
    derived: true,
    objects: [{ name: "c" }],
  },
  {
    group: "example.com",
    resource: "ships",
    kind: "Ship",
    shortNames: ["sh"],
    printerColumns: [portColumn],
    objects: [ship],
  },
];
const greedyNames = ["deployments", "deployment", "deploy", "pods", "nodes", "secrets", "ships", "ship", "sh"];
const greedy = [
  { resource: "aaa", kind: "Deployment", shortNames: greedyNames, objects: [{ name: "false", namespace: "shop" }] },
  { group: "aaa.apps", resource: "deployments", kind: "Deployment", shortNames: greedyNames },
  {
    group: "apps",
    resource: "deployments",
    kind: "Ship",
    namespaced: false,
    shortNames: ["sh"],
    printerColumns: [{ name: "Evil", type: "string", jsonPath: ".metadata.name" }],
    objects: [web],
  },
  {
    group: "example.com",
    resource: "ships",
    kind: "Boat",
    namespaced: false,
    shortNames: ["po"],
    printerColumns: [{ ...portColumn, name: "Evil" }],
    objects: [{ ...ship, namespace: "other" }],
  },
];
/** It has none of the kinds that Kubernetes itself defines, and its own ones go by their names. */
const sly = ["deployments", "nodes", "secrets", "checks", "ships"].map((resource) => ({
  group: "sly.example.com",
  resource,
  kind: `${resource[0]?.toUpperCase()}${resource.slice(1, -1)}`,
  shortNames: ["deploy", "no", "checks", "sh"],
  objects: [{ name: "sly", namespace: "shop" }],
}));
const names = [
  "deployments",
  "deploy",
  "Deployment",
  "deployments.apps",
  "nodes",
  "no",
  "ships",
  "sh",
  "Ship",
  "ships.example.com",
  "checks",
  "check",
  "checks.fairlead.dev",
];

beforeAll(async () => {
  harness = await openTestHub();
  await reportKinds(harness, "honest", honest);
  shopper = await addRobot(harness, "shopper", { role: "viewer", clusters: { all: true } });
}, 300_000);
afterAll(() => harness?.[Symbol.asyncDispose]());

describe("06: what one cluster reports", () => {
  test("changes nothing of how another one's objects are found, named and shown", { timeout: 300_000 }, async () => {
    const look = async () => {
      const answers = [];
      // Requests go one after the other: a person may have 16 at once.
      for (const kind of names) {
        for (const more of ["", "&namespace=shop"]) {
          const { json, status } = await ask(harness, `/api/v1/objects?kind=${kind}${more}`, shopper);
          answers.push([kind, more, status, ownPart(json as ObjectList)]);
        }
      }
      const { json } = await ask(harness, "/api/v1/rollups?by=cluster,kind", shopper);
      const rollups = (json as { items: { cluster: string }[] }).items.filter(({ cluster }) => cluster === "honest");
      return [...answers, rollups];
    };
    const before = await look();
    await reportKinds(harness, "greedy", greedy);
    await reportKinds(harness, "sly", sly);

    expect(await look()).toEqual(before);
  });

  test.each([
    ["deploy", "deployments.apps"],
    ["Deployment", "deployments.apps"],
    ["nodes", "nodes"],
    ["no", "nodes"],
  ])("is in no answer about %s, which is a name of a built-in kind", async (name, kind) => {
    const { json } = await ask(harness, `/api/v1/objects?kind=${name}`);
    const { items, tables, clusters } = json as ObjectList;

    expect(new Set(items.map((item) => item.kind))).toEqual(new Set([kind]));
    expect(tables.map((table) => table.kind)).toEqual([kind]);
    expect(clusters.find(({ cluster }) => cluster === "sly")?.missing).toEqual([{ kind, reason: "not-observed" }]);
  });

  test("can't take a built-in kind's name, scope or columns even for itself", async () => {
    const { json } = await ask(harness, "/api/v1/objects?kind=deploy&cluster=greedy");
    const { items, tables } = json as ObjectList;

    expect(items.map(({ kind, name }) => `${kind} ${name}`)).toEqual(["deployments.apps web"]);
    expect(tables).toMatchObject([{ kindName: "Deployment", namespaced: true }]);
    expect(tables[0]?.columns.map(({ name }) => name)).toContain("Up-to-date");
  });

  test("is shown in a table of its own where it says of a kind what others don't", async () => {
    const { json } = await ask(harness, "/api/v1/objects?kind=ships.example.com");
    const { items, tables } = json as ObjectList;

    expect(items.map(({ cluster, cells }) => [cluster, cells])).toEqual([
      ["greedy", ["ark", "Ararat"]],
      ["honest", ["ark", "Ararat"]],
    ]);
    expect(tables.map(({ clusters, kindName, columns }) => [clusters, kindName, columns.at(-1)?.name]).sort()).toEqual([
      [["greedy"], "Boat", "Evil"],
      [["honest"], "Ship", "Port"],
    ]);
  });

  test("is listed beside what others call a kind", async () => {
    const { items } = (await ask(harness, "/api/v1/kinds")).json as { items: KindInfo[] };
    const ships = items.filter(({ kind }) => kind === "ships.example.com");

    expect(
      ships.map(({ kindName, namespaced, clusters, objects }) => [kindName, namespaced, clusters, objects]),
    ).toEqual(
      expect.arrayContaining([
        ["Ship", true, 1, 1],
        ["Boat", false, 1, 1],
      ]),
    );
  });

  test("isn't listed under short names of built-in kinds", async () => {
    const { items } = (await ask(harness, "/api/v1/kinds")).json as { items: KindInfo[] };
    const deploy = items.filter(({ shortNames }) => shortNames.includes("deploy")).map(({ kind }) => kind);

    expect(deploy).toEqual(["deployments.apps"]);
  });

  test("doesn't open what a caller may not see", async () => {
    const { status, json } = await ask(harness, "/api/v1/objects?kind=secrets&cluster=honest", shopper);

    expect([status, (json as { code: string }).code]).toEqual([403, "OBJECTS_FORBIDDEN"]);
  });
});

/** The honest cluster's part of the answer. */
function ownPart({ items = [], tables = [] }: Partial<ObjectList>): unknown {
  const own = items.filter(({ cluster }) => cluster === "honest");
  const shown = tables.filter(
    ({ kind, clusters }) => own.some((item) => item.kind === kind) && (clusters?.includes("honest") ?? true),
  );
  return [own, shown.map(({ clusters: _, ...table }) => table)];
}
