// Helm 3 where it differs: it applies on the client, knows no conflicts, and says things in other words.
import { until } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chart, configMap, deployment, type Harness, openHarness } from "./harness.fixture.ts";
import { helmRunner } from "./index.ts";

let harness: Harness;
let four: Harness;
beforeAll(async () => {
  [harness, four] = await Promise.all([openHarness({ by: "helm3" }), openHarness()]);
});
afterAll(async () => {
  await harness?.[Symbol.asyncDispose]();
  await four?.[Symbol.asyncDispose]();
});

test("a release is installed, upgraded, rolled back and uninstalled by Helm 3", async () => {
  const source = chart({
    "cm.yaml": configMap("life", { a: "{{ .Values.a }}" }),
    "NOTES.txt": "hello {{ .Values.a }}",
  });
  const first = await harness.run({ release: "life", chart: source, values: { a: "one" }, notes: true });
  expect(first).toMatchObject({ failure: undefined, json: { revision: 1, status: "deployed", notes: "hello one" } });
  const second = await harness.run({ release: "life", chart: source, values: { a: "two" } });
  expect(second.json).toMatchObject({ revision: 2, objects: [{ did: "changed" }] });
  expect((await harness.run({ release: "life", action: "rollback" })).json).toMatchObject({ revision: 3 });
  expect((await harness.get("configmaps/life"))["data"]).toEqual({ a: "one" });
  expect((await harness.run({ release: "life", action: "uninstall" })).json).toMatchObject({ status: "absent" });
  expect(await harness.exists("configmaps/life")).toBe(false);
});

test("scenario 1: what an agent that was killed left pending is repaired by Helm 3, and ended once", async () => {
  const spec = { release: "dies", chart: chart({ "dies.json": deployment("dies") }), wait: { timeoutSeconds: 60 } };
  const killed = harness.task(spec);
  const left = helmRunner.run(killed);
  await until(async () => (await statusOf("dies", 1)) === "pending-install", "it is in the middle");
  killed.lose();
  await expect(left).rejects.toMatchObject({ code: "COMMAND_LEASE_LOST" });
  const running = harness.run(spec, { record: killed.record.json });
  expect(await harness.whileReady("dies", running)).toMatchObject({
    failure: undefined,
    json: { revision: 2, status: "deployed" },
  });
});

const before = { a: "1", gone: "x" };
const planned = (release: string, data: object) => ({ release, chart: chart({ "cm.json": configMap(release, data) }) });

test("a plan for Helm 3 says what would be put right, changed and taken away, and its approval holds", async () => {
  await harness.run(planned("plan", before));
  expect(await harness.plan(planned("plan", before))).toMatchObject({ isEmpty: true });
  await harness.send("PATCH", "configmaps/plan", { data: { a: "somebody's", theirs: "1" } });
  const next = planned("plan", { a: "1", b: "2" });
  const plan = await harness.plan(next);
  expect(changesOf(plan.json)).toEqual(["data.a", "data.b", "data.gone"]);
  const done = await harness.run(next, plan.approval);
  expect(done).toMatchObject({ failure: undefined, json: { revision: 2 } });
  expect((await harness.get("configmaps/plan"))["data"]).toEqual({ a: "1", b: "2", theirs: "1" });
});

test("scenario 17: a release that Helm 3 made is planned, upgraded, rolled back and uninstalled by Helm 4", async () => {
  const { environment } = four;
  await harness.run(planned("born", before));
  const next = planned("born", { a: "2" });
  const plan = await harness.plan(next, { environment });
  expect(plan.failure).toBeUndefined();
  expect(changesOf(plan.json)).toEqual(["data.a", "data.gone"]);
  const upgraded = await harness.run(next, { environment, ...plan.approval });
  expect(upgraded).toMatchObject({ failure: undefined, json: { revision: 2, status: "deployed" } });
  expect((await harness.get("configmaps/born"))["data"]).toEqual({ a: "2" });
  const forced = await harness.run({ ...planned("born", { a: "3" }), forceConflicts: true }, { environment });
  expect(forced).toMatchObject({ failure: undefined, json: { revision: 3 } });
  const back = await harness.run({ release: "born", action: "rollback", revision: 1 }, { environment });
  expect(back).toMatchObject({ failure: undefined, json: { revision: 4 } });
  expect((await harness.get("configmaps/born"))["data"]).toEqual(before);
  expect((await harness.run({ release: "born", action: "uninstall" }, { environment })).failure).toBeUndefined();
});

test.each<[string, object, string]>([
  ["template", chart({ "a.yaml": "a: {{ .Values.x.y }}" }), "HELM_TEMPLATE_FAILED"],
  [
    "schema",
    chart({ "a.json": configMap("a") }, { "values.schema.json": '{"required":["host"]}' }),
    "HELM_VALUES_REFUSED",
  ],
  ["type", chart({ "a.json": { ...configMap("a"), data: "text" } }), "HELM_OBJECT_REFUSED"],
  [
    "kind",
    chart({ "a.json": { apiVersion: "example.com/v1", kind: "Unheard", metadata: { name: "a" } } }),
    "HELM_KIND_UNKNOWN",
  ],
])("scenario 15: Helm 3's words for a wrong %s are known", async (what, source, code) => {
  expect((await harness.run({ release: `bad-${what}`, chart: source })).failure?.code).toBe(code);
});

async function statusOf(release: string, revision: number): Promise<string | undefined> {
  const path = `secrets/sh.helm.release.v1.${release}.v${revision}`;
  return await harness.get(path).then(
    ({ metadata }) => metadata.labels?.["status"],
    () => undefined,
  );
}

function changesOf(json: unknown): readonly string[] {
  const { objects } = json as { objects: readonly { changes?: readonly { path: string }[] }[] };
  return objects.flatMap(({ changes = [] }) => changes.map(({ path }) => path)).sort();
}
