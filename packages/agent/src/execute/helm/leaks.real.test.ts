// Scenario 11: what comes from a Secret reaches the release, and nothing that leaves the cluster.
import { afterAll, beforeAll, expect, test } from "vitest";
import { KnownSecrets, redactJson, redactText } from "../../redact/index.ts";
import { chart, configMap, type Harness, hookJob, openHarness, type Told } from "./harness.fixture.ts";

const canary = 'c4n"ary\\of+the/vault';
let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
  const values = `nested: {pass: ${JSON.stringify(canary)}}\n`;
  const secret = { metadata: { name: "vault" }, stringData: { pass: canary, "values.yaml": values } };
  await harness.send("POST", "secrets", secret);
});
afterAll(() => harness?.[Symbol.asyncDispose]());

const given = () => ({
  values: { direct: `\${secret:${harness.namespace}/vault/pass}` },
  valuesFrom: [
    { secret: `${harness.namespace}/vault` },
    { secret: `${harness.namespace}/vault`, key: "pass", targetPath: "put.there" },
  ],
});
test("scenario 11: of values, notes, hooks, templates and schemas nothing secret is told", async () => {
  const made = [
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata:",
    "  direct: {{ .Values.direct | toJson }}",
    "  nested: {{ .Values.nested.pass | toJson }}",
    "  put: {{ .Values.put.there | toJson }}",
  ].join("\n");
  const base = { ...given(), notes: true };
  const notes = {
    "NOTES.txt": "{{ .Values.direct }} {{ .Values.nested.pass | b64enc }} {{ .Values.put.there | toJson }}",
  };
  const fine = await harness.run({ ...base, chart: chart({ "cm.yaml": made, ...notes }) });
  expect(fine.failure).toBeUndefined();
  expect((await harness.get("configmaps/web"))["data"]).toEqual({ direct: canary, nested: canary, put: canary });

  const broken = [
    { "cm.yaml": made, "bad.yaml": '{{ fail (printf "%s" .Values.direct) }}' },
    { "cm.yaml": made, "bad.yaml": "a: {{ .Values.direct }}: b: {{ .Values.direct }}" },
    { "cm.yaml": made, "bad.json": configMap("{{ .Values.direct | quote | squote }}") },
    { "cm.yaml": made, "bad.json": { ...configMap("bad"), data: "{{ .Values.nested.pass | b64enc }}" } },
    { "cm.yaml": made, "hook.json": hookJob("{{ .Values.direct | b64enc }}", "pre-upgrade") },
  ];
  const failed = [];
  for (const templates of broken) failed.push(await harness.run({ ...base, chart: chart(templates) }));
  const schema = { properties: { direct: { const: "x" }, nested: { properties: { pass: { type: "integer" } } } } };
  failed.push(
    await harness.run({ ...base, chart: chart({ "cm.yaml": made }, { "values.schema.json": JSON.stringify(schema) }) }),
  );
  expect(failed.map(({ failure }) => failure?.code)).toEqual([
    "HELM_TEMPLATE_FAILED",
    "HELM_TEMPLATE_FAILED",
    "HELM_TEMPLATE_FAILED",
    "HELM_OBJECT_REFUSED",
    "HELM_OBJECT_REFUSED",
    "HELM_VALUES_REFUSED",
  ]);
  const plan = await harness.plan({ ...base, chart: chart({ "cm.yaml": made.replace("put:", "other:") }) });
  expect(plan.json).toMatchObject({
    objects: [{ did: "changed", changes: [{ path: "data.put" }, { path: "data.other" }] }],
  });
  for (const told of [fine, ...failed]) expectNothing(told);
  expectNothing({ ...fine, json: plan.json as Told["json"] });
});

test("leaves of a value of JSON or YAML are told neither in the log, nor in the plan, nor in notes", async () => {
  const json = { tok: "leaf-one-s3cret", deep: { list: ["leaf-two-s3cret", 481516234299] } };
  await harness.send("POST", "secrets", {
    metadata: { name: "whole" },
    stringData: { json: JSON.stringify(json), yaml: "db:\n  pass: leaf-three-s3cret # it turns\n" },
  });
  const reference = (key: string): string => `\${secret:${harness.namespace}/whole/${key}}`;
  const leaves = [
    "{{ (.Values.json | fromJson).tok }}",
    "{{ index (.Values.json | fromJson).deep.list 0 | b64enc }}",
    "{{ index (.Values.json | fromJson).deep.list 1 | int64 }}",
    "{{ (.Values.yaml | fromYaml).db.pass }}",
  ];
  const made = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: leaves}\ndata:\n  all: ${leaves.join(" ")}\n`;
  const base = { values: { json: reference("json"), yaml: reference("yaml") }, notes: true };
  const templates = { "cm.yaml": made, "NOTES.txt": leaves.join("\n") };
  const planned = await harness.plan({ ...base, chart: chart(templates) });
  const fine = await harness.run({ ...base, chart: chart(templates) });
  const bad = { ...templates, "bad.yaml": "{{ fail (.Values.json | fromJson).tok }}" };
  const failed = await harness.run({ ...base, chart: chart(bad) });
  expect(fine.json.notes).toContain("481516234299");
  const secrets = new KnownSecrets();
  for (const value of fine.task.concealed) secrets.add(value);
  const left = [
    ...[planned.json, fine.json, failed.json].map((told) => JSON.stringify(redactJson(secrets, told))),
    ...[fine, failed]
      .flatMap(({ lines, failure }) => [...lines, `${failure?.message} ${failure?.hint}`])
      .map((line) => redactText(secrets, line)),
  ].join("\n");
  expect(left).not.toMatch(/leaf-|s3cret|4815162/);
  expect(left).not.toContain(
    Buffer.from(json.deep.list[0] as string)
      .toString("base64")
      .slice(0, 12),
  );
});

/** Expects the secret in none of the messages that leave the agent, in any encoding. */
function expectNothing({ json, failure, lines, task }: Told): void {
  const secrets = new KnownSecrets();
  for (const value of task.concealed) secrets.add(value);
  const left = [
    JSON.stringify(redactJson(secrets, json)),
    redactText(secrets, `${failure?.message} ${failure?.hint}`),
    ...lines.map((line) => redactText(secrets, line)),
  ].join("\n");
  for (const spelt of [canary, JSON.stringify(canary).slice(1, -1), Buffer.from(canary).toString("base64"), "c4n"])
    expect(left).not.toContain(spelt);
  // No message leans on the masking.
  expect(`${failure?.message} ${lines.join()}`).not.toContain("c4n");
  expect(task.record.json).not.toContain("c4n");
}
