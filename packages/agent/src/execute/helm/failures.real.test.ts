// Failures of charts, hooks and objects, and the messages about them.

import { readdir, readFile } from "node:fs/promises";
import { until } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chart, configMap, deployment, type Harness, hookJob, openHarness } from "./harness.fixture.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.[Symbol.asyncDispose]());

test("scenario 15: a bad chart is refused by its kind of fault, and changes nothing", async () => {
  const dependency = {
    apiVersion: "v2",
    name: "web",
    version: "1.0.0",
    dependencies: [{ name: "sub", version: "1.0.0", repository: "http://127.0.0.1:9" }],
  };
  const random = Array.from({ length: 150_000 }, () => Math.random().toString(36)).join("");
  const cases: [string, object, string][] = [
    [
      "template",
      chart({ "a.yaml": "a: {{ .Values.x.y }}" }),
      "A template of the chart failed: web/templates/a.yaml:1:",
    ],
    [
      "YAML",
      chart({ "a.yaml": "a: b: c" }),
      "A template of the chart failed: web/templates/a.yaml: mapping values are not allowed in this context.",
    ],
    [
      "kind",
      chart({ "a.json": { ...configMap("a"), apiVersion: "example.com/v1", kind: "Unheard" } }),
      "This cluster has no Unheard of example.com/v1.",
    ],
    [
      "schema",
      chart({ "a.json": configMap("a") }, { "values.schema.json": '{"required":["host"]}' }),
      "The chart's schema rejects values",
    ],
    [
      "dependency",
      { files: { "Chart.yaml": JSON.stringify(dependency) } },
      "Charts that this chart depends on are missing: sub.",
    ],
    ["Chart.yaml", { files: { "Chart.yaml": "name: web" } }, "The chart of the spec can't be loaded"],
    ["size", chart({ "a.json": configMap("a") }, { "large.txt": random }), "The release is larger than 1 MiB"],
    ["field", chart({ "a.json": { ...configMap("a"), date: {} } }), "The API server rejected ConfigMap"],
    [
      "fail",
      chart({ "a.yaml": '{{ fail "Set host,\\nor port." }}' }),
      "A template of the chart failed: web/templates/a.yaml:1:3: Set host, or port.",
    ],
    [
      "required",
      chart({
        "a.yaml": '{{ include "x" . }}',
        "_x.tpl": '{{ define "x" }}{{ required "I need a host" .Values.host }}{{ end }}',
      }),
      ": I need a host.",
    ],
    [
      "kubeVersion",
      { files: { "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\nkubeVersion: '>=1.99.0-0'" } },
      "The chart requires Kubernetes >=1.99.0-0, but this cluster has v1.",
    ],
  ];
  for (const [release, source, message] of cases) {
    const { failure, json } = await harness.run({
      release: `bad-${release.toLowerCase().replace(".", "-")}`,
      chart: source,
    });
    expect([release, failure?.message]).toEqual([release, expect.stringContaining(message)]);
    expect([release, json.status]).toEqual([release, release === "field" ? "failed" : "absent"]);
  }
  expect(await harness.exists("configmaps/a")).toBe(false);
  await expect(
    harness.run({ namespace: "no-such-namespace", chart: chart({ "a.json": configMap("a") }) }),
  ).resolves.toMatchObject({
    failure: { code: "HELM_NAMESPACE_MISSING" },
  });
});

test("scenario 16: a hook that hangs, and one that fails, are named", async () => {
  const hanging = chart({ "hook.json": hookJob("hang", "pre-install"), "a.json": configMap("a") });
  const late = await harness.run({ release: "late", chart: hanging, wait: { timeoutSeconds: 2 } });
  expect(late.failure?.message).toBe("A hook of the chart timed out: Job hang (pre-install).");
  expect(late.json).toMatchObject({ status: "failed", hooks: [{ name: "hang", phase: "Failed" }] });

  const failing = harness.run({
    release: "failing",
    chart: chart({ "hook.json": hookJob("fail", "pre-install") }),
    wait: { timeoutSeconds: 20 },
  });
  await until(() => harness.exists("jobs/fail"), "the hook runs");
  const at = new Date().toISOString().replace(/\.\d+/, "");
  const conditions = ["FailureTarget", "Failed"].map((type) => ({
    type,
    status: "True",
    reason: "Test",
    lastTransitionTime: at,
  }));
  await harness.send("PATCH", "jobs/fail", { spec: { activeDeadlineSeconds: 1 } });
  expect(conditions).toHaveLength(2);
  expect((await failing).failure?.message).toBe("A hook of the chart failed: Job fail (pre-install).");
});

test("a hook Job that fails at once is told as failed, and not as late", async () => {
  const job = hookJob("instant", "pre-install");
  const hook = { ...job, spec: { ...job.spec, activeDeadlineSeconds: 0 } };
  const failing = { release: "instant", chart: chart({ "hook.json": hook }), wait: { timeoutSeconds: 15 } };
  const { failure, json } = await harness.run(failing);
  expect(failure?.message).toBe("A hook of the chart failed: Job instant (pre-install).");
  expect(json).toMatchObject({ status: "failed", hooks: [{ name: "instant", phase: "Failed" }] });
});

test("what a failed upgrade lists as created is there, and the rest is pending", async () => {
  const made = { apiVersion: "v1", kind: "Secret", metadata: { name: "partly" }, stringData: { a: "b" } };
  const first = { release: "partly", chart: chart({ "gone.json": configMap("gone") }) };
  expect((await harness.run(first)).failure).toBeUndefined();
  const unmade = { ...configMap("unmade"), date: {} };
  const { failure, json } = await harness.run({ ...first, chart: chart({ "a.json": made, "b.json": unmade }) });
  expect(failure?.code).toBe("HELM_OBJECT_REFUSED");
  expect(json.objects?.map(({ kind, name, did }) => `${kind} ${name} ${did}`)).toEqual([
    "Secret partly created",
    "ConfigMap unmade pending",
    "ConfigMap gone pending",
  ]);
});

/** As charts have them that people publish, and as Helm takes them. */
function oddChart(text: string, more: Parameters<typeof chart>[0] = {}) {
  const odd = [
    "apiVersion: v1",
    "kind: ConfigMap",
    "metadata:",
    "  name: odd",
    "  labels: { a: b }",
    "  labels: { c: d }",
    "data:",
    "  key: first",
    `  key: ${text}`,
    "  tagged: !Ref value",
  ];
  return chart({ "odd.yaml": odd.join("\n"), ...more });
}

test("a chart with a key twice, an integer of more than 53 bits and an unknown tag is listed, planned and put right by atomic", async () => {
  const first = await harness.run({ release: "odd", chart: oddChart("one") });
  expect([first.failure, first.json.objects]).toMatchObject([undefined, [{ name: "odd", did: "created" }]]);
  const large = JSON.stringify(deployment("odd")).replace(
    '"containers"',
    '"terminationGracePeriodSeconds":9223372036854775807,"containers"',
  );
  const next = {
    release: "odd",
    chart: oddChart("two", { "large.yaml": large }),
    atomic: true,
    wait: { timeoutSeconds: 5 },
  };
  const plan = await harness.plan(next);
  expect([plan.failure, plan.json]).toMatchObject([
    undefined,
    {
      objects: [
        { name: "odd", did: "changed", changes: [{ path: "data.key", from: "one", to: "two" }] },
        { kind: "Deployment", did: "created" },
      ],
    },
  ]);
  const { failure, json } = await harness.run(next);
  expect([failure?.code, failure?.message]).toEqual([
    "HELM_NOT_READY",
    expect.stringContaining("Deployment odd: 0 of 1 replicas"),
  ]);
  expect(json).toMatchObject({ status: "deployed", undone: "rolled back to revision 1" });
  expect(json.objects).toMatchObject([{ name: "odd", did: "unchanged" }]);
  expect((await harness.get("configmaps/odd"))["data"]).toEqual({ key: "one", tagged: "value" });
  expect(await harness.exists("deployments/odd")).toBe(false);
});

test("scenario 16: a rollback that fails, too, is told with both reasons", async () => {
  const first = chart({ "hook.json": hookJob("stuck", "pre-rollback"), "b.json": configMap("b") });
  await harness.run({ release: "stuck", chart: first });
  const second = chart({ "b.json": configMap("b"), "web.json": deployment("stuck") });
  const { failure, json } = await harness.run({
    release: "stuck",
    chart: second,
    atomic: true,
    wait: { timeoutSeconds: 2 },
  });
  expect(failure?.code).toBe("HELM_ROLLBACK_FAILED");
  expect(failure?.message).toContain("Deployment stuck: 0 of 1 replicas");
  expect(failure?.message).toContain("A hook of the chart timed out: Job stuck (pre-rollback)");
  expect(json).toMatchObject({ revision: 3, status: "failed" });
  expect(json.undone).toBeUndefined();
});

test("scenario 17: a conflict is told by the other manager and the field, and forceConflicts takes the field over", async () => {
  const web = (replicas: number) => ({
    release: "conflict",
    chart: chart({ "a.json": deployment("web", { replicas }) }),
    wait: false,
  });
  await harness.run(web(1));
  await harness.cluster.kubectl(["scale", "deployment", "web", "--replicas=2", "-n", harness.namespace]);
  const { failure } = await harness.run(web(3));
  expect(failure).toMatchObject({
    code: "HELM_CONFLICT",
    message: `Other field managers own fields of Deployment ${harness.namespace}/web that the chart sets differently: kubectl owns .spec.replicas.`,
  });
  expect(await harness.run({ ...web(3), forceConflicts: true })).toMatchObject({
    failure: undefined,
    json: { status: "deployed" },
  });
  expect((await harness.get("deployments/web"))["spec"]).toMatchObject({ replicas: 3 });

  const other = deployment("web");
  other.spec.selector.matchLabels.app = "other";
  other.spec.template.metadata.labels.app = "other";
  const fixed = await harness.run({ ...web(3), chart: chart({ "a.json": other }), forceConflicts: true });
  expect(fixed.failure?.message).toBe("The API server rejected Deployment web: spec.selector can't be changed.");
  expect((await harness.run({ release: "thief", chart: chart({ "a.json": deployment("web") }) })).failure?.code).toBe(
    "HELM_OBJECT_FOREIGN",
  );
});

test("scenario 29: a helm that is killed, as when memory runs out, ends its command alone, and the next one makes the release", async () => {
  const release = "killed";
  const running = harness.run({ release, chart: chart({ "killed.json": deployment("killed") }) });
  await until(() => harness.exists("deployments/killed"), "it waits");
  for (const pid of await findHelm(release)) process.kill(pid, "SIGKILL");
  expect(await running).toMatchObject({
    failure: { code: "HELM_FAILED", message: expect.stringContaining("exit code 137") },
    json: { revision: 1, status: "failed" },
  });
  const next = { release, chart: chart({ "cm.json": configMap("killed") }) };
  expect(await harness.run(next, { id: "cmd_next" })).toMatchObject({ failure: undefined, json: { revision: 2 } });
});

async function findHelm(release: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    const text = /^\d+$/.test(name) ? await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "") : "";
    const [program = "", , named] = text.split("\0");
    if (program.endsWith("/helm") && named === release && text.includes(harness.namespace)) found.push(Number(name));
  }
  return found;
}

test("scenario 23: values from Secrets and ConfigMaps: missing, optional, in their order", async () => {
  await harness.send("POST", "configmaps", {
    metadata: { name: "v" },
    data: { "values.yaml": "a: 1\nb: {c: 1, d: 1}\nl: [1]", one: "two" },
  });
  const source = chart({
    "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v-out}\ndata: {all: '{{ .Values | toJson }}'}",
  });
  const v = `${harness.namespace}/v`;
  const spec = {
    release: "values",
    chart: source,
    values: { b: { d: null }, l: [2], e: 1 },
    valuesFrom: [{ configMap: v }, { secret: v, optional: true }, { configMap: v, key: "one", targetPath: "b.e" }],
  };
  expect((await harness.run(spec)).failure).toBeUndefined();
  const { all } = (await harness.get("configmaps/v-out"))["data"] as unknown as { all: string };
  expect(JSON.parse(all)).toEqual({ a: 1, b: { c: 1, d: null, e: "two" }, l: [2], e: 1 });
  for (const [valuesFrom, code] of [
    [[{ secret: v }], "SECRET_REFERENCE_MISSING"],
    [[{ configMap: v, key: "none" }], "SECRET_REFERENCE_MISSING"],
    [[{ configMap: v, key: "one" }], "HELM_VALUES_INVALID"],
    [[{ configMap: v, key: "one", targetPath: "l.x" }], "HELM_VALUES_INVALID"],
  ] as const)
    await expect(harness.run({ ...spec, valuesFrom })).rejects.toMatchObject({ code });
});
