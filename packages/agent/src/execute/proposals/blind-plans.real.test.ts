// Plans of proposals that nobody who may create them has seen: they know no Secret of the cluster.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Bed, chart, openBed } from "../helm/bed.fixture.ts";
import { helmRunner } from "../helm/index.ts";
import { manifestsRunner } from "../manifests/index.ts";
import { createManifestsTask } from "../manifests/task.fixture.ts";

let bed: Bed;
beforeAll(async () => {
  bed = await openBed();
  await bed.send("POST", "secrets", { metadata: { name: "vault" }, stringData: { pass: "canary-value" } });
  await bed.send("POST", "configmaps", { metadata: { name: "house" }, data: { colour: "canary-colour" } });
});
afterAll(() => bed?.[Symbol.asyncDispose]());

test("references of manifests stay as they are in the plan, and are resolved when it is carried out", async () => {
  const { kube, namespace } = bed;
  const stringData = { a: `\${secret:${namespace}/vault/pass}`, b: `\${configmap:${namespace}/house/colour}` };
  const object = { apiVersion: "v1", kind: "Secret", metadata: { name: "made" }, stringData };
  const spec = { set: "made", namespace, manifests: JSON.stringify(object) };
  const task = (approvedDigest?: string) =>
    createManifestsTask({ kube, spec, plansBlind: true, approvedDigest, secrets: undefined });
  const asking = task();
  const plan = await manifestsRunner.plan(asking);
  expect([plan.json, asking.concealed]).toMatchObject([{ secretsHidden: true, objects: [{ did: "created" }] }, []]);
  await expect(manifestsRunner.run(task("another"))).rejects.toMatchObject({ code: "COMMAND_PLAN_STALE" });
  expect(await bed.exists("secrets/made")).toBe(false);
  expect((await manifestsRunner.run(task(plan.digest))).failure).toBeUndefined();
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  expect((await bed.get("secrets/made"))["data"]).toEqual({ a: encoded("canary-value"), b: encoded("canary-colour") });
});

test("a chart's lookup finds no Secret, by name or in a list, and finds other objects", async () => {
  const { namespace } = bed;
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
  expect(namesOf((await bed.plan(spec, { plansBlind: true })).json)).toEqual(["x0"]);
  const seeing = bed.task({ ...spec, readableSecrets: [`${namespace}/vault`] });
  expect(namesOf((await helmRunner.plan(seeing)).json)).not.toEqual(["x0"]);
  expect([...seeing.secrets.read].sort()).toEqual([`${namespace}/*`, `${namespace}/vault`]);
});

function namesOf(json: unknown): readonly string[] {
  return (json as { readonly objects: readonly { readonly name: string }[] }).objects.map(({ name }) => name);
}
