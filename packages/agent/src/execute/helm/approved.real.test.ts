// What was approved is what runs, whatever chance, the clock or the cluster would make of the chart by now.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createFlowRunner } from "../flow/index.ts";
import { createTestTask } from "../task.fixture.ts";
import { chart, configMap, type Harness, openHarness } from "./harness.fixture.ts";
import { helmRunner } from "./index.ts";
import { fetchRendering } from "./kept/kept-rendering.ts";
import { readMadeObjects } from "./objects.ts";
import { ReleaseStore } from "./release/release-store.ts";

let harness: Harness;
let group: string;
beforeAll(async () => {
  harness = await openHarness();
  group = `${harness.namespace}.example.com`;
  await harness.send("POST", "configmaps", configMap("house", { colour: "red" }));
});
afterEach(async () => {
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  for (const name of ["widgets", "gadgets"])
    await harness.send("DELETE", `${crds}/${name}.${group}`).catch(() => undefined);
});
afterAll(() => harness?.[Symbol.asyncDispose]());

const crd = (kind: string): string => {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
};

/** Each member would be another one at each rendering, or after something else is in the cluster. */
const fickle = () => {
  const made = [
    `random: {{ randAlphaNum 24 }}`,
    `at: "{{ now | unixEpoch }}{{ now.Nanosecond }}"`,
    `seen: {{ (lookup "v1" "ConfigMap" "${harness.namespace}" "house").data.colour }}`,
    `knows: "{{ .Capabilities.APIVersions.Has "${group}/v1/Widget" }}"`,
    `lines: |+`,
    `  one`,
    ``,
    `braces: "{{ "{{ .Values.pass }}" }}"`,
    `pass: {{ .Values.pass }}`,
  ];
  const map = (name: string, annotations: object = {}): string =>
    [
      "apiVersion: v1",
      "kind: ConfigMap",
      `metadata: {name: ${name}, annotations: ${JSON.stringify(annotations)}}`,
      "data:",
      ...made.map((line) => `  ${line}`),
    ].join("\n");
  const widget = `apiVersion: ${group}/v1\nkind: Widget\nmetadata: {name: one}`;
  return chart(
    {
      "cm.yaml": `${map("fickle")}\n---\n${map("second")}`,
      "hook.yaml": map("hooked", { "helm.sh/hook": "pre-install" }),
      "widget.yaml": `{{ if .Capabilities.APIVersions.Has "${group}/v1/Widget" }}\n${widget}\n{{ end }}`,
      "NOTES.txt": "{{ randAlphaNum 24 }}",
    },
    { "crds/all.yaml": `---\n# first\n${crd("Widget")}\n---\n${crd("Gadget")}\n` },
  );
};

test.each([4, 3])("the applied objects, hooks and CRDs are those of the plan, by Helm %i", async (major) => {
  await using other = major === 3 ? await openHarness({ by: "helm3" }) : undefined;
  const { environment } = other ?? harness;
  const spec = { release: `fickle${major}`, chart: fickle(), values: { pass: "a" }, notes: true, wait: false };
  const plan = await harness.plan(spec, { environment });
  expect(plan.json).toMatchObject({
    crds: [
      { name: `widgets.${group}`, did: "created" },
      { name: `gadgets.${group}`, did: "created" },
    ],
    hooks: [{ name: "hooked", object: { data: { seen: "red", knows: "false" } } }],
  });
  const task = harness.task(spec, { environment, ...plan.approval });
  const approved = await fetchRendering(task);
  await harness.send("PATCH", "configmaps/house", { data: { colour: "blue" } });
  const done = await harness.run(spec, { environment, ...plan.approval });
  expect(done).toMatchObject({ failure: undefined, json: { revision: 1, notes: approved.notes } });
  const [shown] = (plan.json as { hooks: readonly { object: { data: object } }[] }).hooks;
  expect((await harness.get("configmaps/hooked"))["data"]).toEqual(shown?.object.data);
  for (const { name, object } of approved.documents.flatMap((text) => readMadeObjects(text)))
    expect((await harness.get(`configmaps/${name}`))["data"]).toEqual(object["data"]);
  const store = new ReleaseStore(task);
  const release = await store.open({ secret: `sh.helm.release.v1.fickle${major}.v1` });
  const texts = release?.manifest.split(/^---\n# Source: .*\n/m).slice(1);
  expect(texts).toEqual(approved.documents.map((document) => `${document}\n`));
  expect(release?.hooks.map(({ manifest }) => manifest)).toEqual(approved.hooks.map(({ manifest }) => manifest));
  expect(release).toMatchObject({ values: { pass: "a" }, chart: { name: "web", version: "1.2.3", appVersion: "7" } });
  for (const name of ["widgets", "gadgets"])
    expect(await harness.exists(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}.${group}`)).toBe(true);
  await harness.send("PATCH", "configmaps/house", { data: { colour: "red" } });
  for (const name of ["fickle", "second", "hooked"]) await harness.send("DELETE", `configmaps/${name}`);
});

test("what waits for approval is nothing that anybody can read, and goes with the command", async () => {
  const canary = "c4nary-of-the-vault";
  await harness.send("POST", "secrets", { metadata: { name: "vault" }, stringData: { pass: canary } });
  const made = configMap("sealed", { pass: "{{ .Values.pass }}" });
  const values = { pass: `\${secret:${harness.namespace}/vault/pass}` };
  const spec = { release: "sealed", chart: chart({ "cm.json": made }), values, wait: false };
  const keys = async (): Promise<readonly { readonly metadata: { readonly name: string } }[]> =>
    ((await harness.get("secrets?labelSelector=fairlead.dev/helm-plan=sealed"))["items"] ?? []) as never;
  const dry = await harness.plan(spec, { isDryRun: true });
  expect([dry.approval.record, await keys()]).toEqual([undefined, []]);
  const first = await harness.plan(spec);
  const plan = await harness.plan(spec, { record: first.approval.record });
  expect(plan.digest).toBe(first.digest);
  expect(await keys()).toHaveLength(1);
  for (const text of [canary, Buffer.from(canary).toString("base64")]) expect(plan.approval.record).not.toContain(text);
  // By now it would be another one.
  await harness.send("PATCH", "secrets/vault", { stringData: { pass: "another" } });
  const done = await harness.run(spec, plan.approval);
  expect(done.failure).toBeUndefined();
  expect([(await harness.get("configmaps/sealed"))["data"], await keys()]).toEqual([{ pass: canary }, []]);
  expect(done.task.concealed).toContain(canary);
  await harness.send("DELETE", "secrets/vault");
});

test("a plan whose key or record is missing or was changed isn't carried out", async () => {
  const spec = { release: "broken", chart: chart({ "cm.json": configMap("broken") }), wait: false };
  const plan = await harness.plan(spec);
  const { kept } = JSON.parse(plan.approval.record ?? "") as { kept: { text: string; secret: string } };
  const stale = { code: "COMMAND_PLAN_STALE" };
  const bad = Buffer.from(kept.text, "base64");
  bad[40] = (bad[40] ?? 0) ^ 1;
  const records = [
    undefined,
    JSON.stringify({ version: 1, kept: { ...kept, text: bad.toString("base64") } }),
    JSON.stringify({ version: 1, kept: { ...kept, secret: "none" } }),
  ];
  for (const record of records)
    await expect(harness.run(spec, { ...plan.approval, record })).rejects.toMatchObject(stale);
  await expect(harness.run(spec, { ...plan.approval, id: "cmd_other" })).rejects.toMatchObject(stale);
  expect(await harness.exists("configmaps/broken")).toBe(false);
  expect((await harness.run(spec, plan.approval)).failure).toBeUndefined();
});

test("a release whose namespace isn't there yet is planned and carried out; what helm takes out can't be planned", async () => {
  const namespace = `${harness.namespace}-made`;
  const spec = {
    release: "made",
    namespace,
    createNamespace: true,
    wait: false,
    chart: chart({ "a.json": configMap("a") }),
  };
  const plan = await harness.plan(spec);
  expect((await harness.run(spec, plan.approval)).failure).toBeUndefined();
  await harness.send("DELETE", `/api/v1/namespaces/${namespace}`);
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: <no {{ print "<no" " value>" }}value>}';
  const tricky = chart({ "a.yaml": text });
  await expect(harness.plan({ release: "tricky", wait: false, chart: tricky })).rejects.toMatchObject({
    code: "HELM_MANIFEST_UNREADABLE",
  });
});

test("a run that died goes on with what was approved, and one that had done it is told", async () => {
  const made = configMap("again", { random: "{{ randAlphaNum 24 }}" });
  const spec = { release: "again", chart: chart({ "cm.json": made }), wait: false };
  const plan = await harness.plan(spec);
  const approved = await fetchRendering(harness.task(spec, plan.approval));
  let effects = 0;
  const dying = harness.task(spec, { ...plan.approval, beforeEffect: (task) => void (++effects === 1 && task.lose()) });
  await expect(helmRunner.run(dying)).rejects.toMatchObject({ code: "COMMAND_LEASE_LOST" });
  const next = { ...plan.approval, record: dying.record.json };
  const done = await harness.run(spec, next);
  expect(done.failure).toBeUndefined();
  const [document] = approved.documents.flatMap((text) => readMadeObjects(text));
  expect((await harness.get("configmaps/again"))["data"]).toEqual(document?.object["data"]);
  const told = await harness.run(spec, { ...next, record: done.task.record.json });
  expect(told).toMatchObject({ failure: undefined, json: { revision: 1 } });
});

test("a step of an approved flow is carried out as it was planned, also when nothing of it would change", async () => {
  const { kube, namespace, environment } = harness;
  const made = configMap("step", { random: "{{ randAlphaNum 24 }}" });
  const same = { release: "same", chart: chart({ "cm.json": configMap("same") }), wait: false };
  await harness.run(same);
  const runner = createFlowRunner((kind) => (kind === "helm" ? helmRunner : undefined));
  const steps = [
    { id: "same", helm: same },
    { id: "made", helm: { release: "step", chart: chart({ "cm.json": made }), wait: false } },
  ];
  const spec = runner.parse({ name: "flow", namespace, steps });
  const asking = createTestTask({ kube, environment, spec });
  const { digest } = await runner.plan(asking);
  const task = createTestTask({ kube, environment, spec, approvedDigest: digest, record: asking.record.json });
  expect((await runner.run(task)).failure).toBeUndefined();
  expect(await harness.exists("configmaps/step")).toBe(true);
  const other = createTestTask({ kube, environment, spec, approvedDigest: "0", record: asking.record.json });
  await expect(runner.run(other)).rejects.toMatchObject({ code: "COMMAND_PLAN_STALE" });
});
