// A signed command of the kind manifests, from a hub to the objects of a real API server.
import { until } from "@fairlead/kernel/testing";
import { createKubeClient, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { createNamespace, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { allowsKind, judgeCommand } from "../policy/judge-command.ts";
import { openPolicyRules } from "../policy/schema.ts";
import { startTestExecuting, type TestExecuting } from "./executing.fixture.ts";
import { manifestsRunner } from "./manifests/index.ts";
import { ScriptedHub } from "./scripted-hub.fixture.ts";
import { createTestSigner, type TestSigner, testEnvelope } from "./signing.fixture.ts";

let own: TestNamespace;
let team: TestNamespace;
let client: KubeClient;
let signer: TestSigner;
let hub: ScriptedHub;
const running: TestExecuting[] = [];

beforeAll(async () => {
  const cluster = await sharedCluster();
  own = await createNamespace(cluster);
  team = await createNamespace(cluster, "team");
  const access = await loadKubeconfig({ path: cluster.adminKubeconfig });
  client = createKubeClient({ access: { ...access, namespace: own.name } });
  signer = await createTestSigner();
});
beforeEach(async () => {
  hub = await new ScriptedHub().start();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ executing }) => executing.stop({ drainMs: 0 })));
  await hub[Symbol.asyncDispose]();
});
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await team?.[Symbol.asyncDispose]();
  await own?.[Symbol.asyncDispose]();
});

test("an agent that is killed while a set is awaited is followed by one that ends it as if nothing had been", async () => {
  const claim = {
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "disk" } },
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
    ...{ apiVersion: "v1", kind: "PersistentVolume", metadata: { name: team.name } },
    spec: {
      ...{ accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/none" } },
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

async function start(rules?: typeof openPolicyRules): Promise<TestExecuting> {
  const policy = rules && {
    judgeCommand: (request: Parameters<typeof judgeCommand>[1]) => judgeCommand(rules, request),
    judgeChart: () => ({ allowed: true as const }),
    allowsKind: (kind: string) => allowsKind(rules, kind),
  };
  const started = await startTestExecuting({
    ...{ hub, keys: [signer.jwk], runner: manifestsRunner, client, inCluster: true },
    ...(policy && { policy }),
  });
  running.push(started);
  return started;
}

async function submit(
  id: string,
  { manifests, ...spec }: { readonly manifests: readonly object[]; readonly [member: string]: unknown },
  changes: object = {},
): Promise<void> {
  const text = manifests.map((each) => JSON.stringify(each)).join("\n---\n");
  const whole = { set: id.replace(/_|\d/g, ""), namespace: team.name, manifests: text, ...spec };
  const times = { issuedAtMs: Date.now(), expiresAtMs: Date.now() + 60_000 };
  await hub.submit(signer, testEnvelope({ id, spec: whole, ...times, ...changes }));
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
