// A signed command of the kind manifests, from a hub to the objects of a real API server.
import { until } from "@fairlead/kernel/testing";
import type { KubeClient } from "@fairlead/kube";
import { approvalEnvelopeType, type CommandEnvelope, type EnvelopeApproval } from "@fairlead/protocol";
import type { TestNamespace } from "@fairlead/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openPolicyRules } from "../policy/schema.ts";
import { type ClusterHarness, openClusterHarness } from "./cluster-harness.fixture.ts";
import { policyOf, startTestExecuting, stopAll, type TestExecuting } from "./executing.fixture.ts";
import { manifestsRunner } from "./manifests/index.ts";
import { ScriptedHub } from "./scripted-hub.fixture.ts";
import { type TestSigner, testEnvelope } from "./signing.fixture.ts";

let harness: ClusterHarness;
let team: TestNamespace;
let client: KubeClient;
let signer: TestSigner;
let hub: ScriptedHub;
const running: TestExecuting[] = [];

beforeAll(async () => {
  harness = await openClusterHarness();
  ({ team, client, signer } = harness);
});
beforeEach(async () => {
  hub = await new ScriptedHub().start();
});
afterEach(async () => {
  await stopAll(running);
  await hub[Symbol.asyncDispose]();
});
afterAll(async () => await harness?.[Symbol.asyncDispose]());

test("an agent that is killed while a set is awaited is followed by one that ends it as if nothing had been", async () => {
  const claim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "disk" },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: team.name, resources: { requests: { storage: "1Gi" } } },
  };
  const killed = await start();
  await submit("cmd_set1", { manifests: [claim, configMap("site")] });
  await until(async () => (await exists("configmaps/site")) && exists("persistentvolumeclaims/disk"), "it is applied");
  killed.kill();
  await start();
  hub.offerAgain("cmd_set1");
  await until(() => hub.commands.get("cmd_set1")?.epoch === 2n, "it is claimed again");
  const volume = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: team.name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      hostPath: { path: "/none" },
      storageClassName: team.name,
    },
  };
  await client.request({ method: "POST", path: "/api/v1/persistentvolumes", body: volume });
  const outcome = await ended("cmd_set1");
  await client.request({ method: "DELETE", path: `/api/v1/persistentvolumes/${team.name}` });
  expect(outcome).toMatchObject({ state: "succeeded" });
  expect(outcome.result.objects).toMatchObject([
    { kind: "PersistentVolumeClaim", did: "created" },
    { kind: "ConfigMap", did: "created" },
  ]);
  expect(hub.commands.get("cmd_set1")?.outcomes).toBe(1);
});

test("a value from a Secret reaches the cluster, and neither a plan, nor a log, nor a result", async () => {
  const canary = 'c4n"ary\\of+the/vault';
  await post("secrets", { metadata: { name: "vault" }, stringData: { pass: canary } });
  const reference = `\${secret:${team.name}/vault/pass}`;
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "made" },
    stringData: { url: `x:${reference}` },
  };
  const manifests = [secret, configMap("made", { text: reference }), { ...configMap("wrong"), data: reference }];
  await start();
  await submit("cmd_leak1", { manifests, prune: true });
  const run = await ended("cmd_leak1");
  expect(run).toMatchObject({ state: "failed", code: "MANIFESTS_FAILED" });
  const made = await client.request<{ data: { text: string } }>({ path: pathOf("configmaps/made") });
  expect(made.data.text).toBe(canary);
  await submit("cmd_leak2", { manifests: [configMap("made", { text: `new ${reference}` })] }, { dryRun: true });
  const plan = await ended("cmd_leak2");
  expect(plan.result.objects).toMatchObject([
    { did: "changed", changes: [{ path: "data.text" }] },
    { kind: "Secret", did: "kept" },
  ]);
  const left = [run, plan].map((each) => JSON.stringify(each)).join() + logOf("cmd_leak1") + logOf("cmd_leak2");
  const spelt = [canary, JSON.stringify(canary).slice(1, -1), Buffer.from(canary).toString("base64")];
  for (const each of spelt) expect(left).not.toContain(each);
});

test("the policy of the cluster bounds a set, object by object", async () => {
  await start({ ...openPolicyRules, namespaces: { allow: [team.name], deny: [], clusterWide: false } });
  const elsewhere = { ...configMap("x"), metadata: { name: "x", namespace: "default" } };
  await submit("cmd_policy", { manifests: [configMap("allowed"), elsewhere] });
  const outcome = await ended("cmd_policy");
  expect(outcome).toMatchObject({ state: "failed", code: "MANIFESTS_REFUSED" });
  expect(outcome.result.objects).toMatchObject([{ did: "pending" }, { did: "failed", code: "POLICY_DENIED" }]);
  expect(await exists("configmaps/allowed")).toBe(false);
  await submit("cmd_policy2", { manifests: [configMap("allowed")] });
  expect(await ended("cmd_policy2")).toMatchObject({ state: "succeeded" });
});

test("a set is planned, and applied as it was approved; what has changed since then isn't done", async () => {
  await start();
  const manifests = [configMap("planned", { text: "new" })];
  await submitGated("cmd_gate1", { manifests });
  const { digest, plan } = await planned("cmd_gate1");
  expect(plan.objects).toMatchObject([{ kind: "ConfigMap", name: "planned", did: "created" }]);
  expect(await exists("configmaps/planned")).toBe(false);
  await hub.approve(signer, envelope("cmd_gate1", { manifests }, given(digest)));
  expect(await ended("cmd_gate1")).toMatchObject({ state: "succeeded", result: { objects: [{ did: "created" }] } });
  // The same set again: nothing would change, and nobody is asked.
  await submitGated("cmd_gate2", { manifests });
  expect(await ended("cmd_gate2")).toMatchObject({ state: "succeeded", result: { objects: [{ did: "unchanged" }] } });

  const other = [configMap("planned", { text: "newer" }), configMap("second")];
  await submitGated("cmd_gate3", { manifests: other });
  const stale = await planned("cmd_gate3");
  await client.request({
    method: "PATCH",
    path: pathOf("configmaps/planned?fieldManager=somebody&force=true"),
    headers: { "content-type": "application/apply-patch+yaml" },
    body: configMap("planned", { text: "mine" }),
  });
  await hub.approve(signer, envelope("cmd_gate3", { manifests: other }, given(stale.digest)));
  expect(await ended("cmd_gate3")).toMatchObject({ state: "failed", code: "COMMAND_PLAN_STALE" });
  const left = await client.request<{ data: object }>({ path: pathOf("configmaps/planned") });
  expect([left.data, await exists("configmaps/second")]).toEqual([{ text: "mine" }, false]);
});

test("scenario 23: a Secret that changes between plan and apply makes the plan stale", async () => {
  await post("secrets", { metadata: { name: "vary" }, stringData: { text: "one" } });
  const manifests = [configMap("varied", { text: `\${secret:${team.name}/vary/text}` })];
  await start();
  await submitGated("cmd_vary", { manifests });
  const { digest } = await planned("cmd_vary");
  await client.request({
    method: "PATCH",
    path: pathOf("secrets/vary?fieldManager=somebody&force=true"),
    headers: { "content-type": "application/apply-patch+yaml" },
    body: { apiVersion: "v1", kind: "Secret", metadata: { name: "vary" }, stringData: { text: "two" } },
  });
  await hub.approve(signer, envelope("cmd_vary", { manifests }, given(digest)));
  expect(await ended("cmd_vary")).toMatchObject({ state: "failed", code: "COMMAND_PLAN_STALE" });
  expect(await exists("configmaps/varied")).toBe(false);
});

test("a plan by which a short Secret could be guessed tells nothing of it, and is still the one that is applied", async () => {
  await post("secrets", { metadata: { name: "pin" }, stringData: { pin: "4711" } });
  const manifests = [configMap("pinned", { text: `\${secret:${team.name}/pin/pin}` })];
  await start();
  const digests: string[] = [];
  for (const id of ["cmd_pin1", "cmd_pin2"]) {
    await submitGated(id, { manifests });
    digests.push((await planned(id)).digest);
  }
  expect(new Set(digests).size).toBe(2);
  await hub.approve(signer, envelope("cmd_pin2", { manifests }, given(digests[1] ?? "")));
  expect(await ended("cmd_pin2")).toMatchObject({ state: "succeeded" });
});

function given(digest: string): EnvelopeApproval {
  return { is: "given", digest, by: ["bob"], untilMs: Date.now() + 60_000, keptMs: 60_000 };
}

async function submitGated(id: string, spec: Spec): Promise<void> {
  await hub.submit(signer, envelope(id, spec, { is: "needed", keptMs: 60_000 }), { typ: approvalEnvelopeType });
}

async function planned(id: string): Promise<{ readonly digest: string; readonly plan: Ended["result"] }> {
  await until(() => hub.commands.get(id)?.isWaiting === true, `${id} is planned`, { timeoutMs: 60_000 });
  const { planDigest: digest = "", resultJson } = hub.commands.get(id)?.plans[0] ?? {};
  return { digest, plan: JSON.parse(Buffer.from(resultJson ?? []).toString()) };
}

async function start(rules?: typeof openPolicyRules): Promise<TestExecuting> {
  const started = await startTestExecuting({
    hub,
    keys: [signer.jwk],
    runner: manifestsRunner,
    client,
    inCluster: true,
    ...(rules && { policy: policyOf(rules) }),
  });
  running.push(started);
  return started;
}

interface Spec {
  readonly manifests: readonly object[];
  readonly [member: string]: unknown;
}

async function submit(id: string, spec: Spec, changes: object = {}): Promise<void> {
  await hub.submit(signer, { ...envelope(id, spec), ...changes });
}

function envelope(id: string, { manifests, ...spec }: Spec, approval?: EnvelopeApproval): CommandEnvelope {
  const text = manifests.map((each) => JSON.stringify(each)).join("\n---\n");
  const whole = { set: id.replace(/_|\d/g, ""), namespace: team.name, manifests: text, ...spec };
  const times = { issuedAtMs: Date.now(), expiresAtMs: Date.now() + 60_000 };
  return testEnvelope({ id, spec: whole, ...times, approval });
}

interface Ended {
  readonly state: string;
  readonly code: string;
  readonly message: string;
  readonly result: { readonly objects: readonly object[] };
}

async function ended(id: string): Promise<Ended> {
  await until(() => hub.commands.get(id)?.outcome !== undefined, `${id} ends`, { timeoutMs: 60_000 });
  const { state = "", code = "", message = "", resultJson } = hub.commands.get(id)?.outcome ?? {};
  return { state: String(state), code, message, result: JSON.parse(Buffer.from(resultJson ?? []).toString() || "{}") };
}

function logOf(id: string): string {
  return hub.commands.get(id)?.log.toString() ?? "";
}

function configMap(name: string, data: object = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

async function post(resource: string, body: object): Promise<void> {
  await client.request({ method: "POST", path: pathOf(resource), body });
}

async function exists(path: string): Promise<boolean> {
  return client.request({ path: pathOf(path) }).then(
    () => true,
    () => false,
  );
}

function pathOf(path: string): string {
  return `/api/v1/namespaces/${team.name}/${path}`;
}
