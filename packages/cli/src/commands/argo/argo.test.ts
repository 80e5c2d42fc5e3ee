import type { ApplicationSummary } from "@fairlead/contract";
import { FairleadError } from "@fairlead/kernel";
import { expect, test } from "vitest";
import { hubNow } from "../../testing/hub.fixture.ts";
import { signedIn } from "../../testing/signed-in.fixture.ts";

const path = "/api/v1/clusters/east/applications/east/shop";
const shop: ApplicationSummary = {
  cluster: "east",
  namespace: "east",
  name: "shop",
  project: "default",
  mode: "managed",
  isDeleting: false,
  sync: "Synced",
  health: "Degraded",
  phase: "Succeeded",
  revision: "abc",
  reconciledAt: new Date(hubNow - 120_000).toISOString(),
};
const detail = {
  ...shop,
  resourceVersion: "1",
  labels: {},
  annotations: {},
  finalizers: [],
  spec: { project: "default" },
  status: {},
};

test("applications of all clusters are listed with how they stand and since when that is known", async () => {
  await using harness = await signedIn();
  harness.hub.routes.set("GET /api/v1/applications?limit=500", () => ({ status: 200, body: { items: [shop] } }));
  const { stdout } = await harness.cli.run(["argo", "app", "list"]);
  expect(stdout).toMatch(/^APPLICATION +PROJECT +MODE +SYNC +HEALTH +OPERATION +SEEN\n/);
  expect(stdout).toMatch(/\neast\/shop +default +managed +Synced +Degraded +Succeeded +2m\n$/);
});

test("a sync, a refresh, a rollback and an end are asked for with what was said", async () => {
  await using harness = await signedIn();
  const asked: unknown[] = [];
  for (const what of ["sync", "refresh", "rollback", "terminate"])
    harness.hub.routes.set(`POST ${path}/${what}`, (body) => {
      asked.push([what, body === "" ? "no body" : JSON.parse(body)]);
      return { status: 200, body: detail };
    });
  await harness.cli.run(["argo", "app", "sync", "east/shop", "--revision", "v2", "--prune"]);
  await harness.cli.run(["argo", "app", "refresh", "east/shop", "--hard"]);
  await harness.cli.run(["argo", "app", "rollback", "east/shop", "4"]);
  await harness.cli.run(["argo", "app", "terminate", "east/east/shop"]);
  expect(asked).toEqual([
    ["sync", { revision: "v2", prune: true }],
    ["refresh", { hard: true }],
    ["rollback", { id: 4 }],
    ["terminate", "no body"],
  ]);
});

test("an application is shown with its spec, and its history by number", async () => {
  await using harness = await signedIn();
  harness.hub.routes.set(`GET ${path}`, () => ({ status: 200, body: detail }));
  harness.hub.routes.set(`GET ${path}/history`, () => ({ status: 200, body: { items: [{ id: 4, revision: "abc" }] } }));
  expect((await harness.cli.run(["argo", "app", "get", "east/shop"])).stdout).toMatch(
    /Health: +Degraded[\s\S]*project: default/,
  );
  expect((await harness.cli.run(["argo", "app", "history", "east/shop"])).stdout).toMatch(/\n4 +abc +-\n$/);
});

test("an application is removed when that is confirmed", async () => {
  await using harness = await signedIn();
  const removed: string[] = [];
  harness.hub.routes.set(`DELETE ${path}`, () => {
    removed.push(path);
    return { status: 204, body: undefined };
  });
  await harness.cli.run(["argo", "app", "delete", "east/shop"]);
  expect(removed).toEqual([]);
  await harness.cli.run(["argo", "app", "delete", "east/shop", "--yes"]);
  expect(removed).toEqual([path]);
});

test("an application is made by options, and none that is there is replaced", async () => {
  await using harness = await signedIn();
  const asked: unknown[] = [];
  harness.hub.routes.set(`PUT ${path}`, (body) => {
    asked.push(JSON.parse(body));
    if (asked.length > 1) throw conflict;
    return { status: 200, body: detail };
  });
  const args = ["argo", "app", "create", "east/shop", "--repo", "https://git.example/a", "--path", "shop"];
  await harness.cli.run([
    ...args,
    "--dest-namespace",
    "shop",
    "--sync-policy",
    "automated",
    "--label",
    "team=a",
    "--cascade",
  ]);
  expect(asked).toEqual([
    {
      spec: {
        project: "default",
        destination: { name: "east", namespace: "shop" },
        source: { repoURL: "https://git.example/a", path: "shop" },
        syncPolicy: { automated: {} },
      },
      labels: { team: "a" },
      finalizers: ["resources-finalizer.argocd.argoproj.io"],
      resourceVersion: "0",
    },
  ]);
  const { code, stderr } = await harness.cli.run(args);
  expect([code, stderr.includes("CLI_APPLICATION_EXISTS")]).toEqual([5, true]);
  expect((await harness.cli.run(["argo", "app", "create", "east/shop", "--repo", "https://git.example/a"])).code).toBe(
    2,
  );
});

test("an application is made from its manifest, over which options go", async () => {
  await using harness = await signedIn();
  const asked: unknown[] = [];
  harness.hub.routes.set(`PUT ${path}`, (body) => {
    asked.push(JSON.parse(body));
    return { status: 200, body: detail };
  });
  const spec = { project: "web", source: { repoURL: "https://git.example/a", path: "shop" }, destination: {} };
  const manifest = JSON.stringify({ kind: "Application", metadata: { name: "shop", labels: { team: "a" } }, spec });
  const args = ["argo", "app", "create", "east/shop", "-f", "-", "--upsert"];
  await harness.cli.run([...args, "--revision", "v2"], { stdin: manifest });
  expect(asked).toEqual([
    { spec: { ...spec, source: { ...spec.source, targetRevision: "v2" } }, labels: { team: "a" } },
  ]);
  expect((await harness.cli.run(args, { stdin: manifest.replace("shop", "other") })).code).toBe(2);
  expect((await harness.cli.run(args, { stdin: "kind: Secret" })).code).toBe(2);
});

test("an application is changed over the version that was read, and again when another wrote first", async () => {
  await using harness = await signedIn();
  const asked: unknown[] = [];
  let version = 1;
  harness.hub.routes.set(`GET ${path}`, () => ({
    status: 200,
    body: { ...detail, resourceVersion: String(version++) },
  }));
  harness.hub.routes.set(`PUT ${path}`, (body) => {
    asked.push(JSON.parse(body));
    if (asked.length === 1) throw conflict;
    return { status: 200, body: detail };
  });
  await harness.cli.run(["argo", "app", "set", "east/shop", "--revision", "v2"]);
  const spec = { project: "default", source: { targetRevision: "v2" } };
  expect(asked).toEqual([
    { spec, resourceVersion: "1" },
    { spec, resourceVersion: "2" },
  ]);
  expect((await harness.cli.run(["argo", "app", "set", "east/shop"])).code).toBe(2);
});

test("what the cluster hasn't of an application yet is shown", async () => {
  await using harness = await signedIn();
  const resources = [{ kind: "Deployment", namespace: "shop", name: "web", status: "OutOfSync" }];
  const status = { sync: { comparedTo: { source: { targetRevision: "v1" } } }, resources };
  harness.hub.routes.set(`GET ${path}`, () => ({ status: 200, body: { ...detail, status } }));
  const { stdout, stderr } = await harness.cli.run(["argo", "app", "diff", "east/shop"]);
  expect(stdout).toMatch(/source.targetRevision +- +v1\n[\s\S]*Deployment +shop +web +OutOfSync +no\n$/);
  expect(stderr).toContain("Argo CD looked 2m ago");
});

const conflict = new FairleadError({
  code: "GITOPS_APPLICATION_CONFLICT",
  message: "Somebody else changed shop meanwhile.",
  httpStatus: 409,
});
