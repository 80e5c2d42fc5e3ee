// Commands on a real API server: records in Secrets, references, and the policy on the way to the cluster.
import { systemClock } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import type { KubeClient } from "@fairlead/kube";
import type { TestNamespace } from "@fairlead/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openPolicyRules, type Policy } from "../policy/schema.ts";
import { type ClusterHarness, openClusterHarness } from "./cluster-harness.fixture.ts";
import { policyOf, StepsRunner, startTestExecuting, stopAll, type TestExecuting } from "./executing.fixture.ts";
import { openFaultyApi } from "./faulty-api.fixture.ts";
import { createPagedRecords, createSecretRecords, openRecord, type RecordStore, recordLabel } from "./records/index.ts";
import { ScriptedHub } from "./scripted-hub.fixture.ts";
import { type TestSigner, testEnvelope } from "./signing.fixture.ts";
import type { Task } from "./types.ts";

let harness: ClusterHarness;
let namespace: TestNamespace;
/** Where commands are at work. */
let team: TestNamespace;
let client: KubeClient;
let signer: TestSigner;
let hub: ScriptedHub;
let records: RecordStore;
const running: TestExecuting[] = [];
const { signal } = new AbortController();

beforeAll(async () => {
  harness = await openClusterHarness();
  ({ own: namespace, team, client, signer } = harness);
  records = createPagedRecords({ client, alone: createSecretRecords({ client, pieceBytes: 20_000 }) });
});
beforeEach(async () => {
  hub = await new ScriptedHub().start();
});
afterEach(async () => {
  await stopAll(running);
  await hub[Symbol.asyncDispose]();
});
afterAll(async () => await harness?.[Symbol.asyncDispose]());

async function start(runner: StepsRunner, rules?: Policy): Promise<TestExecuting> {
  const started = await startTestExecuting({
    hub,
    keys: [signer.jwk],
    runner,
    client,
    inCluster: true,
    ...(rules && { policy: policyOf(rules) }),
  });
  running.push(started);
  return started;
}

const steps = (id: string, changes: object = {}): ReturnType<typeof testEnvelope> =>
  testEnvelope({ id, spec: { steps: 2 }, issuedAtMs: Date.now(), expiresAtMs: Date.now() + 60_000, ...changes });

async function secretsOf(id: string): Promise<readonly { metadata: { name: string }; type: string }[]> {
  const path = `/api/v1/namespaces/${namespace.name}/secrets?labelSelector=${recordLabel}%3D${id}`;
  return (await client.request<{ items: { metadata: { name: string }; type: string }[] }>({ path })).items;
}

async function create(kind: "secrets" | "configmaps", name: string, more: object): Promise<void> {
  const path = `/api/v1/namespaces/${team.name}/${kind}`;
  await client.request({ method: "POST", path, body: { metadata: { name }, ...more } });
}

test("an agent that is killed leaves its record in the cluster, and another one goes on by it", async () => {
  const first = new StepsRunner();
  first.before = async (step) => {
    if (step === 2) await new Promise(() => undefined);
  };
  const killed = await start(first);
  await hub.submit(signer, steps("cmd_real1"));
  await until(() => first.effects.length === 1, "one step is done");
  await until(
    async () => JSON.stringify(await records.find("cmd_real1", signal)).includes('"done":1'),
    "it is recorded",
  );
  killed.kill();
  const next = new StepsRunner();
  await start(next);
  hub.offerAgain("cmd_real1");
  await until(() => hub.commands.get("cmd_real1")?.outcome?.state === "succeeded", "it has succeeded");
  expect([...first.effects, ...next.effects]).toEqual(["cmd_real1/1", "cmd_real1/2"]);
  await until(async () => (await records.find("cmd_real1", signal))?.record.life.is === "settled", "it is settled");
  const path = `/api/v1/namespaces/${namespace.name}/secrets?labelSelector=fairlead.dev%2Fcommand-page`;
  const { items } = await client.request<{ items: { type: string; data: object }[] }>({ path });
  const page = items.find(({ data }) => "cmd_real1" in data);
  expect(page?.type).toBe("fairlead.dev/command-page");
  await expect(secretsOf("cmd_real1")).resolves.toEqual([]);
});

test("an API server that comes back and doesn't know its roles yet ends no command; without an outage it is believed", async () => {
  await using faulty = await openFaultyApi(client);
  const kube = { ...faulty.kube, access: { ...faulty.kube.access, namespace: namespace.name } };
  const runner = new StepsRunner();
  const answers = [503, ...Array<number>(6).fill(403)];
  const refuse = (code = 403) => ({ is: "answer", code, message: "secrets is forbidden" }) as const;
  // Between two steps, which are written to the record.
  runner.before = (step) => {
    if (step === 2) faulty.fault = () => (answers.length > 0 ? refuse(answers.shift()) : undefined);
  };
  running.push(await startTestExecuting({ hub, keys: [signer.jwk], runner, client: kube, inCluster: true }));
  await hub.submit(signer, steps("cmd_settling"));
  await until(() => hub.commands.get("cmd_settling")?.outcome?.state === "succeeded", "it has succeeded", patience);
  expect(answers).toEqual([]);
  const next = new StepsRunner();
  next.before = (step) => {
    if (step === 2) faulty.fault = ({ url }) => (url === "/readyz" ? undefined : refuse());
  };
  // Another agent, which saw no outage.
  await stopAll(running);
  running.push(await startTestExecuting({ hub, keys: [signer.jwk], runner: next, client: kube, inCluster: true }));
  await hub.submit(signer, steps("cmd_denied"));
  await until(() => hub.commands.get("cmd_denied")?.outcome !== undefined, "it has ended", patience);
  expect(hub.commands.get("cmd_denied")?.outcome).toMatchObject({
    state: "failed",
    code: "COMMAND_RECORD_FAILED",
    hint: expect.stringContaining("permissions on Secrets"),
  });
}, 180_000);

const patience = { timeoutMs: 60_000 };

test("commands at once share Secrets, and what two agents write there at once is all kept", async () => {
  const askedAtMs = Date.now();
  const stores = [0, 1].map(() => createPagedRecords({ client, alone: createSecretRecords({ client }) }));
  const ids = Array.from({ length: 12 }, (_, index) => `cmd_page${index}`);
  const keepers = await Promise.all(
    ids.map((id, index) =>
      openRecord({
        store: stores[index % 2] as RecordStore,
        id,
        epoch: 1,
        kind: "manifests",
        expiresAtMs: 5,
        askedAtMs,
        clock: systemClock,
        signal,
        onUnknown: () => undefined,
      }),
    ),
  );
  const state = "x".repeat(1_000);
  await Promise.all(keepers.map((keeper) => keeper.write({ is: "open", state }, signal)));
  const [first] = keepers;
  // Too large for the page: it has a Secret of its own from now on.
  await first?.write({ is: "open", state: "y".repeat(9_000) }, signal);
  expect((await secretsOf("cmd_page0")).length).toBe(1);
  for (const id of ids) {
    const found = await records.find(id, signal, askedAtMs);
    expect(found?.record.life).toEqual({ is: "open", state: id === "cmd_page0" ? "y".repeat(9_000) : state });
    await records.remove(id, signal, id === "cmd_page0" ? undefined : found?.version);
  }
  expect((await records.list(signal)).filter(({ record }) => ids.includes(record.id))).toEqual([]);
});

test("a record of many pieces is written in one step, and leaves no piece behind", async () => {
  const record = { id: "cmd_pieces", epoch: 1, kind: "manifests", expiresAtMs: 5 };
  const noise = (length: number): string =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(length))).toString("base64");
  const large = { ...record, life: { is: "open", state: noise(60_000) } } as const;
  const first = await records.write(large, undefined, signal);
  expect((await secretsOf("cmd_pieces")).length).toBe(5);
  await expect(records.find("cmd_pieces", signal)).resolves.toEqual({ record: large, version: first });
  const larger = { ...record, epoch: 2, life: { is: "open", state: noise(60_000) } } as const;
  const second = await records.write(larger, first, signal);
  // A write of the epoch before changes nothing, and none of its pieces stays.
  await expect(records.write(large, first, signal)).resolves.toBeUndefined();
  await expect(records.find("cmd_pieces", signal)).resolves.toEqual({ record: larger, version: second });
  expect((await secretsOf("cmd_pieces")).length).toBe(5);
  const small = { ...record, epoch: 3, life: { is: "settled", outcomeDigest: "d" } } as const;
  await records.write(small, second, signal);
  expect((await secretsOf("cmd_pieces")).length).toBe(1);
  expect((await records.list(signal)).filter((one) => one.record.id === "cmd_pieces")).toMatchObject([
    { record: small },
  ]);
  await records.remove("cmd_pieces", signal);
  await expect(secretsOf("cmd_pieces")).resolves.toEqual([]);
});

test("a claim writes nothing over what a later one wrote, nor where somebody removed the record", async () => {
  const open = (epoch: number): ReturnType<typeof openRecord> =>
    openRecord({
      store: records,
      id: "cmd_fence",
      epoch,
      kind: "manifests",
      expiresAtMs: 5,
      clock: systemClock,
      signal,
      onUnknown: () => undefined,
    });
  const first = await open(1);
  await first.write({ is: "open", state: { done: 1 } }, signal);
  const second = await open(2);
  expect(second.life).toEqual({ is: "open", state: { done: 1 } });
  const lost = { code: "COMMAND_LEASE_LOST" };
  await expect(first.write({ is: "open", state: { done: 2 } }, signal)).rejects.toMatchObject(lost);
  await expect(open(1)).rejects.toMatchObject(lost);
  await second.write({ is: "open", state: { done: 3 } }, signal);
  await records.remove("cmd_fence", signal);
  await expect(second.write({ is: "open", state: { done: 4 } }, signal)).rejects.toMatchObject(lost);
  await expect(records.find("cmd_fence", signal)).resolves.toBeUndefined();
});

test("a canary from a Secret reaches the cluster, and nothing that leaves it", async () => {
  const canary = 'c4n"ary\\of+the/vault';
  await create("secrets", "vault", { stringData: { pass: canary } });
  await create("configmaps", "site", { data: { host: "db.local" } });
  const runner = new StepsRunner();
  const text = `\${secret:${team.name}/vault/pass}@\${configmap:${team.name}/site/host}`;
  runner.run = async (task: Task<unknown>) => {
    const value = await task.secrets.resolve(text);
    await task.state.write({ planned: true });
    task.mayAct();
    const path = `/api/v1/namespaces/${team.name}/configmaps/made`;
    const query = "?fieldManager=test&force=true";
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "made" }, data: { value } };
    await task.kube.request({
      method: "PATCH",
      path: path + query,
      body,
      headers: { "content-type": "application/apply-patch+yaml" },
    });
    for (const spelt of [value, JSON.stringify({ value }), Buffer.from(`x${value}`).toString("base64")])
      task.log.line(`it is ${spelt}`);
    task.log.line(encodeURIComponent(value));
    if (task.id === "cmd_leak2") throw new Error(`failed with ${value}`);
    return { json: { objects: [{ name: "made", changes: [value] }], [value]: 1 } };
  };
  const { logged } = await start(runner);
  for (const id of ["cmd_leak1", "cmd_leak2"]) {
    await hub.submit(signer, steps(id));
    await until(() => hub.commands.get(id)?.outcome !== undefined, `${id} ends`);
    await until(async () => (await records.find(id, signal))?.record.life.is === "settled", "it is settled");
  }
  const made = await client.request<{ data: { value: string } }>({
    path: `/api/v1/namespaces/${team.name}/configmaps/made`,
  });
  expect(made.data.value).toBe(`${canary}@db.local`);
  expect(hub.commands.get("cmd_leak1")?.outcome).toMatchObject({ state: "succeeded" });
  expect(hub.commands.get("cmd_leak2")?.outcome).toMatchObject({ state: "failed", code: "COMMAND_FAILED" });
  const left = [...hub.commands.values()].flatMap(({ log, outcome }) => [
    log.toString(),
    Buffer.from(outcome?.resultJson ?? []).toString(),
    outcome?.message ?? "",
  ]);
  const recorded = JSON.stringify(await records.list(signal));
  expect(left.join("\n")).toContain("it is ***");
  const inner = [0, 1, 2].map((shift) =>
    Buffer.from("x".repeat(shift) + canary)
      .toString("base64")
      .slice(4, 20),
  );
  for (const spelt of [canary, JSON.stringify(canary).slice(1, -1), encodeURIComponent(canary), ...inner])
    for (const place of [...left, recorded, JSON.stringify(logged)]) expect(place).not.toContain(spelt);
});

test("the policy of the cluster narrows what a command may read and change, discovery aside", async () => {
  const runner = new StepsRunner();
  const tried: Record<string, string> = {};
  runner.run = async (task: Task<unknown>) => {
    const attempt = async (name: string, work: () => Promise<unknown>): Promise<void> => {
      tried[name] = await work().then(
        () => "done",
        (error: { code: string }) => error.code,
      );
    };
    const own = `/api/v1/namespaces/${team.name}`;
    await attempt("discovery", () => task.kube.request({ path: "/apis" }));
    await attempt("allowed", () => task.kube.request({ path: `${own}/configmaps` }));
    await attempt("denied kind", () => task.kube.request({ path: `${own}/pods` }));
    await attempt("other namespace", () => task.kube.request({ path: "/api/v1/namespaces/kube-system/configmaps" }));
    await attempt("reference elsewhere", () => task.secrets.resolve("${configmap:kube-system/x/y}"));
    await attempt("whole cluster", () => task.kube.request({ path: "/api/v1/configmaps" }));
    await attempt("two readings", () => task.kube.request({ path: `${own}/configmaps/..%2fsecrets` }));
    const body = { metadata: { generateName: "made-" } };
    await attempt("records", () => task.kube.request({ path: `/api/v1/namespaces/${namespace.name}/secrets` }));
    await attempt("general rule", () => task.kube.request({ method: "POST", path: `${own}/configmaps`, body }));
    return { json: null };
  };
  await start(runner, {
    ...openPolicyRules,
    readOnly: true,
    execute: {
      namespaces: { allow: [team.name], clusterWide: false },
      resources: { allow: ["core/configmaps"] },
    },
  });
  await hub.submit(signer, steps("cmd_policy"));
  await until(() => hub.commands.get("cmd_policy")?.outcome !== undefined, "it ends");
  expect(tried).toEqual({
    discovery: "done",
    allowed: "done",
    "denied kind": "POLICY_DENIED",
    "other namespace": "POLICY_DENIED",
    "reference elsewhere": "SECRET_REFERENCE_FORBIDDEN",
    "whole cluster": "POLICY_DENIED",
    "two readings": "POLICY_DENIED",
    records: "POLICY_DENIED",
    "general rule": "POLICY_DENIED",
  });
});

test("without a policy file, too, no command touches the agent's own Secrets", async () => {
  const runner = new StepsRunner();
  runner.run = async (task: Task<unknown>) => {
    await task.secrets.resolve(`\${secret:${namespace.name}/fairlead-agent-identity/identity.json}`);
    return { json: null };
  };
  await start(runner);
  await hub.submit(signer, steps("cmd_own"));
  await until(() => hub.commands.get("cmd_own")?.outcome !== undefined, "it ends");
  expect(hub.commands.get("cmd_own")?.outcome).toMatchObject({ state: "failed", code: "SECRET_REFERENCE_FORBIDDEN" });
  expect(hub.commands.get("cmd_own")?.outcome?.message).toContain("the agent's own namespace");
});

test("without a policy file, too, no command changes anything in the agent's own namespace", async () => {
  const runner = new StepsRunner();
  const own = `/api/v1/namespaces/${namespace.name}`;
  const tried: string[] = [];
  runner.run = async ({ kube }: Task<unknown>) => {
    const create = async (path: string): Promise<void> => {
      const request = { method: "POST", path, body: { metadata: { generateName: "made-" } } } as const;
      await kube.request(request).then(
        () => tried.push("done"),
        (error: { code: string }) => tried.push(error.code),
      );
    };
    await create(`${own}/configmaps`);
    await create(`${own.replace("namespaces", "%6eamespaces")}/configmaps/`);
    await create(`${own}/serviceaccounts/default/token`);
    await create(`/api/v1/namespaces/${team.name}/configmaps`);
    return { json: null };
  };
  await start(runner);
  await hub.submit(signer, steps("cmd_closed"));
  await until(() => hub.commands.get("cmd_closed")?.outcome !== undefined, "it ends");
  expect(tried).toEqual(["POLICY_DENIED", "POLICY_DENIED", "POLICY_DENIED", "done"]);
});

test("a kind that the policy leaves out is refused", async () => {
  await start(new StepsRunner(), { ...openPolicyRules, execute: { kinds: ["helm"] } });
  await hub.submit(signer, steps("cmd_kind"));
  await until(() => hub.commands.get("cmd_kind")?.outcome !== undefined, "it ends");
  expect(hub.commands.get("cmd_kind")?.outcome).toMatchObject({ state: "refused", code: "COMMAND_KIND_UNAVAILABLE" });
});
