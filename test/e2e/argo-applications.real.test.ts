// Applications of a managed cluster, played without Argo CD: hub and cluster have namespaces of one API server.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ArgoHarness, openArgoHarness } from "../fleet/argo-harness.ts";

let harness: ArgoHarness;
beforeAll(async () => {
  harness = await openArgoHarness();
  // Tests delete several, which would wait for a person.
  await harness.set("--gitops-guard-percent", "100");
});
afterAll(() => harness?.[Symbol.asyncDispose]());

test("SkipSync_Application, SkipSync_Application_False and SkipSync_Application_Update: the label keeps an application on the hub, and takes its copy away", async () => {
  await harness.onHub.put("applications", "skipped", { labels: ignoring("true"), spec });
  await harness.onHub.put("applications", "not-skipped", { labels: ignoring("false"), spec });
  await harness.onHub.put("applications", "later", { spec });
  await harness.untilThere("applications", "not-skipped", {});
  await harness.untilThere("applications", "later", {});
  expect(await harness.there.get("applications", "skipped")).toBeUndefined();
  await harness.onHub.put("applications", "later", { labels: ignoring("true"), spec });
  await harness.untilGone("applications", "later");
  expect(await harness.onHub.get("applications", "later")).toBeDefined();
});

describe.each([
  ["UnauthorizedDeleteWithIgnore", "ignore", { sync: { status: "Synced" } }, undefined],
  ["UnauthorizedDeleteWithClearStatus", "clear-status", undefined, undefined],
  ["UnauthorizedDeleteWithResync", "resync", undefined, { sync: expect.anything() }],
] as const)("%s", (_, rule, status, operation) => {
  test("what is deleted in the cluster is made again, as the rule says", async () => {
    const name = `deleted-${rule}`;
    await harness.set("--gitops-on-recreate", rule);
    await harness.onHub.put("applications", name, { spec });
    const { metadata } = await harness.untilThere("applications", name, {});
    await harness.there.put("applications", name, { spec: inClusterSpec, status: { sync: { status: "Synced" } } });
    await expect
      .poll(async () => (await harness.onHub.get("applications", name))?.["status"], harness.patience)
      .toMatchObject({ sync: { status: "Synced" } });
    await harness.there.remove("applications", name);
    await expect
      .poll(async () => (await harness.there.get("applications", name))?.metadata.uid ?? metadata.uid, harness.patience)
      .not.toBe(metadata.uid);
    const again = await harness.there.get("applications", name);
    if (status) expect(again?.["status"]).toMatchObject(status);
    else expect(again?.["status"]).toBeUndefined();
    if (operation) expect(again?.["operation"]).toMatchObject(operation);
    else expect(again?.["operation"]).toBeUndefined();
  });
});

test("IsAdoptedIfExists: an application that the cluster has becomes the copy of the hub's, in place", async () => {
  await harness.there.put("applications", "adopted", { spec: { ...inClusterSpec, source: source("own") } });
  const { uid } = (await harness.there.get("applications", "adopted"))?.metadata ?? {};
  await harness.onHub.put("applications", "adopted", { spec });
  const { metadata } = await harness.untilThere("applications", "adopted", { spec: { source: source("hub") } });
  expect(metadata.uid).toBe(uid);
});

test("IsNotAdoptedIfPolicyIsNever: it stays the cluster's own, and the hub says so", async () => {
  await harness.set("--gitops-adoption", "never");
  await harness.there.put("applications", "own", { spec: { ...inClusterSpec, source: source("own") } });
  await harness.onHub.put("applications", "own", { spec });
  const status = async () => (await harness.hubProgram.cli(["gitops", "status", harness.cluster])).stdout;
  await expect.poll(status, { ...harness.patience, interval: 1_000 }).toMatch(/own.*taken/s);
  const shown = async () => (await harness.onHub.get("applications", "own"))?.["status"];
  const condition = { type: "FairleadError", message: expect.stringMatching(/\(taken\): .*own/) };
  await expect.poll(shown, harness.patience).toMatchObject({ health: { status: "Degraded" }, conditions: [condition] });
  expect(await harness.there.get("applications", "own")).toMatchObject({ spec: { source: source("own") } });
  await harness.set("--gitops-adoption", "always");
  await harness.untilThere("applications", "own", { spec: { source: source("hub") } });
  await expect.poll(async () => JSON.stringify(await shown()), harness.patience).not.toContain("FairleadError");
});

describe.each([
  ["OnPrincipalStartup", () => harness.hubProgram],
  ["OnAgentStartup", () => harness.agent],
] as const)("Deletion and Updates %s, managed", (when, program) => {
  test("what is changed and deleted meanwhile is as on the hub, and statuses are as in the cluster", async () => {
    const name = (what: string) => `${when.toLowerCase()}-${what}`;
    for (const what of ["changed", "deleted", "same"]) await harness.onHub.put("applications", name(what), { spec });
    for (const what of ["changed", "deleted", "same"]) await harness.untilThere("applications", name(what), {});
    await program().stop("KILL");
    await harness.onHub.put("applications", name("changed"), { spec: { ...spec, source: source("next") } });
    await harness.onHub.remove("applications", name("deleted"));
    await harness.onHub.put("applications", name("created"), { spec });
    // Hub or agent is down when this is written, so only a comparison finds it.
    await harness.there.put("applications", name("same"), {
      spec: inClusterSpec,
      status: { sync: { status: "Synced" } },
    });
    await program().start();
    await harness.untilThere("applications", name("changed"), { spec: { source: source("next") } });
    await harness.untilThere("applications", name("created"), {});
    await harness.untilGone("applications", name("deleted"));
    await expect
      .poll(async () => (await harness.onHub.get("applications", name("same")))?.["status"], harness.patience)
      .toMatchObject({ sync: { status: "Synced" } });
  });
});

function source(path: string): object {
  return { repoURL: "https://git.example/app", path };
}

function ignoring(value: string): object {
  return { "fairlead.dev/ignore-sync": value };
}

const destination = { server: "https://kubernetes.default.svc", namespace: "shop" };
const spec = { project: "default", source: source("hub"), destination };
const inClusterSpec = { ...spec, destination: { name: "in-cluster", namespace: "shop" } };
