// Plans of proposals that nobody who may create them has seen: they know no Secret of the cluster.
import { afterAll, beforeAll, expect, test } from "vitest";
import { chart, type Harness, openHarness } from "../helm/harness.fixture.ts";
import { helmRunner } from "../helm/index.ts";
import { manifestsRunner } from "../manifests/index.ts";
import { createManifestsTask } from "../manifests/task.fixture.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
  await harness.send("POST", "secrets", { metadata: { name: "vault" }, stringData: { pass: "canary-value" } });
  await harness.send("POST", "configmaps", { metadata: { name: "house" }, data: { colour: "canary-colour" } });
});
afterAll(() => harness?.[Symbol.asyncDispose]());

test("references of manifests stay as they are in the plan, and are resolved when it is carried out", async () => {
  const { kube, namespace } = harness;
  const stringData = { a: `\${secret:${namespace}/vault/pass}`, b: `\${configmap:${namespace}/house/colour}` };
  const object = { apiVersion: "v1", kind: "Secret", metadata: { name: "made" }, stringData };
  const spec = { set: "made", namespace, manifests: JSON.stringify(object) };
  const task = (approvedDigest?: string) =>
    createManifestsTask({ kube, spec, plansBlind: true, approvedDigest, secrets: undefined });
  const asking = task();
  const plan = await manifestsRunner.plan(asking);
  expect([plan.json, asking.concealed]).toMatchObject([{ secretsHidden: true, objects: [{ did: "created" }] }, []]);
  await expect(manifestsRunner.run(task("another"))).rejects.toMatchObject({ code: "COMMAND_PLAN_STALE" });
  expect(await harness.exists("secrets/made")).toBe(false);
  expect((await manifestsRunner.run(task(plan.digest))).failure).toBeUndefined();
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  expect((await harness.get("secrets/made"))["data"]).toEqual({
    a: encoded("canary-value"),
    b: encoded("canary-colour"),
  });
});

test("a chart's lookup finds no Secret, by name or in a list, and finds other objects", async () => {
  const { namespace } = harness;
  const found = [
    `apiVersion: v1`,
    `kind: ConfigMap`,
    `metadata:`,
    `  name: x{{ len (lookup "v1" "Secret" "${namespace}" "vault") }}`,
    `  annotations:`,
    `    a: "{{ len (lookup "v1" "Secret" "${namespace}" "").items }}"`,
    `    b: "{{ (lookup "v1" "ConfigMap" "${namespace}" "house").data.colour }}"`,
  ].join("\n");
  const spec = { release: "looking", wait: false, chart: chart({ "found.yaml": found }) };
  expect(namesOf((await harness.plan(spec, { plansBlind: true })).json)).toEqual(["x0"]);
  const seeing = harness.task({ ...spec, readableSecrets: [`${namespace}/vault`] });
  expect(namesOf((await helmRunner.plan(seeing)).json)).not.toEqual(["x0"]);
  expect([...seeing.secrets.read].sort()).toEqual([`${namespace}/*`, `${namespace}/vault`]);
});

function namesOf(json: unknown): readonly string[] {
  return (json as { readonly objects: readonly { readonly name: string }[] }).objects.map(({ name }) => name);
}
