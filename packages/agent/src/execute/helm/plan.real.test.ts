// Plans of releases: what would be done, by which hooks, and that nothing else is done than what was approved.
import { afterAll, beforeAll, expect, test } from "vitest";
import { chart, configMap, deployment, type Harness, hookJob, openHarness } from "./harness.fixture.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.[Symbol.asyncDispose]());

const secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s" },
  stringData: { pass: "{{ .Values.pass }}" },
};
const templates = {
  "cm.json": configMap("web", { a: "{{ .Values.a }}" }),
  "s.json": secret,
  "kept.json": configMap("kept", {}, { "helm.sh/resource-policy": "keep" }),
};
const before = {
  chart: chart({ ...templates, "gone.json": configMap("gone") }),
  values: { a: "1", pass: "hunter22" },
  wait: false,
};

test("a plan says what would come of each object and which hooks would run, and its approval holds for exactly that", async () => {
  const first = await harness.plan(before);
  expect(first).toMatchObject({ isEmpty: false, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(deeds(first.json)).toEqual([
    "ConfigMap gone created",
    "ConfigMap kept created",
    "ConfigMap web created",
    "Secret s created",
  ]);
  expect(await harness.exists("secrets/sh.helm.release.v1.web.v1")).toBe(false);
  expect(await harness.run(before, first.approval)).toMatchObject({
    failure: undefined,
    json: { revision: 1 },
  });
  expect(await harness.plan(before)).toMatchObject({ isEmpty: true });

  const { "kept.json": _kept, ...fewer } = templates;
  const after = {
    chart: chart({ ...fewer, "hook.json": hookJob("migrate", "pre-upgrade", { isReady: true }) }),
    values: { a: "2", pass: "hunter33" },
    wait: { timeoutSeconds: 30 },
  };
  const plan = await harness.plan(after);
  expect(deeds(plan.json)).toEqual([
    "ConfigMap gone deleted",
    "ConfigMap kept kept",
    "ConfigMap web changed",
    "Secret s changed",
  ]);
  expect(plan.json).toMatchObject({
    revision: 2,
    from: { revision: 1, chart: { name: "web", version: "1.2.3" } },
    hooks: [{ kind: "Job", name: "migrate", events: ["pre-upgrade"], object: { spec: { backoffLimit: 0 } } }],
  });
  const text = JSON.stringify(plan.json);
  expect(text).toContain('{"path":"data.a","from":"1","to":"2"}');
  expect(text).toContain('{"path":"data.pass","from":"(masked)","to":"(masked)"}');
  expect(text).not.toMatch(/hunter|aHVudGVy/);
  expect((await harness.plan(after)).digest).toBe(plan.digest);

  const stale = { code: "COMMAND_PLAN_STALE" };
  await expect(harness.run({ ...after, values: { a: "2", pass: "other" } }, plan.approval)).rejects.toMatchObject(
    stale,
  );
  await harness.send("PATCH", "configmaps/web", { data: { a: "somebody's" } });
  await expect(harness.run(after, plan.approval)).rejects.toMatchObject(stale);
  await harness.send("PATCH", "configmaps/web", { data: { a: "1" } });
  expect(await harness.exists("secrets/sh.helm.release.v1.web.v2")).toBe(false);

  const again = await harness.plan({ ...after, forceConflicts: true });
  const done = await harness.run({ ...after, forceConflicts: true }, again.approval);
  expect(done).toMatchObject({
    failure: undefined,
    json: { revision: 2, hooks: [{ name: "migrate", phase: "Succeeded" }] },
  });
  expect([await harness.exists("configmaps/gone"), await harness.exists("configmaps/kept")]).toEqual([false, true]);
});

test("what a rollback, tests and an uninstallation would do is told; a failing test is named", async () => {
  const test = { apiVersion: "v1", kind: "Pod", metadata: { name: "try", annotations: { "helm.sh/hook": "test" } } };
  const pod = {
    ...test,
    spec: {
      restartPolicy: "Never",
      nodeSelector: { none: "such" },
      containers: [{ name: "a", image: "example.com/a:1" }],
    },
  };
  const release = "others";
  await harness.run({ release, wait: false, chart: chart({ "a.json": configMap("o", { v: "1" }), "t.json": pod }) });
  await harness.run({
    release,
    wait: false,
    chart: chart({ "a.json": configMap("o", { v: "2" }), "b.json": deployment("o"), "t.json": pod }),
  });
  const back = await harness.plan({ release, action: "rollback" });
  expect(back.json).toMatchObject({ to: { revision: 1 } });
  expect(deeds(back.json)).toEqual(["ConfigMap o changed", "Deployment o deleted"]);
  expect(deeds((await harness.plan({ release, action: "uninstall" })).json)).toEqual([
    "ConfigMap o deleted",
    "Deployment o deleted",
  ]);
  expect(await harness.plan({ release, action: "test" })).toMatchObject({
    isEmpty: false,
    json: { hooks: [{ name: "try" }] },
  });
  const tested = await harness.run({ release, action: "test", wait: { timeoutSeconds: 2 } });
  expect(tested.failure?.message).toBe("1 of 1 tests of the release failed.");
  expect(tested.json.tests).toMatchObject([{ kind: "Pod", name: "try", phase: "Failed" }]);
  expect(
    await harness.run({ release: "none", action: "test" }).catch((error: { code: string }) => error),
  ).toMatchObject({
    code: "HELM_RELEASE_MISSING",
  });
  const undone = await harness.run({ release, action: "rollback" }, back.approval);
  expect(undone).toMatchObject({ failure: undefined, json: { revision: 3, status: "deployed" } });
});

function deeds(json: unknown): readonly string[] {
  const { objects } = json as { objects: readonly { kind: string; name: string; did: string }[] };
  return objects.map(({ kind, name, did }) => `${kind} ${name} ${did}`).sort();
}
