// Commands at work while somebody sets their agent's clock, and while their API server is restarted.
import { setTimeout as delay } from "node:timers/promises";
import type { Command, CommandDetail } from "@fairlead/contract";
import { type LeasedCluster, leaseCluster, startHub, type TestHub } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { helmDeeds } from "../command-storm/deeds/helm.ts";
import type { Ground } from "../command-storm/harness.ts";
import { prepareGround } from "../command-storm/prepare-ground.ts";
import { requestHub } from "../fleet/request-hub.ts";

const undo = new AsyncDisposableStack();
const patience = { timeout: 120_000, interval: 250 };
const hour = 3_600_000;
let cluster: LeasedCluster;
let hub: TestHub;
let ground: Ground;

beforeAll(async () => {
  cluster = undo.use(await leaseCluster({ name: "underway", nodes: 1 }));
  hub = undo.use(await startHub());
  ground = await prepareGround({ hub, cluster, name: "underway", canary: "x", faults: ["clock-stepped"], undo });
}, 240_000);
afterAll(() => undo.disposeAsync(), 60_000);

test("scenario 7: a clock that is set by 25 hours, either way, ends nothing that runs", {
  timeout: 300_000,
}, async () => {
  const flow = await submit("flow", flowUntil("clocks"));
  const manifests = await submit("manifests", setUntil("clocks"));
  await untilRunning(flow, manifests);
  for (const hours of [25, -25, 0]) {
    await ground.clock?.set(hours * hour);
    // A program of ours sees it within a tenth of a second; its waits look again within some seconds.
    await delay(11_000);
    expect(await Promise.all([flow, manifests].map(async (id) => (await show(id)).state))).toEqual([
      "running",
      "running",
    ]);
  }
  await release("clocks");
  for (const id of [flow, manifests]) await expectOneClaim(await untilEnded(id), "succeeded");
});

test("an API server that is restarted under commands of each kind ends none of them", {
  timeout: 600_000,
}, async () => {
  const flow = await submit("flow", flowUntil("restarts"));
  const manifests = await submit("manifests", setUntil("restarts"));
  const helm = await submit("helm", helmDeeds.make(ground, "restarts", 1).spec);
  await untilRunning(flow, manifests, helm);
  await cluster.apiServer.stop({ graceMs: 0 });
  await delay(3_000);
  await cluster.apiServer.start();
  await release("restarts");
  for (const id of [flow, manifests]) await expectOneClaim(await untilEnded(id), "succeeded");
  // Helm itself gives up when its API server is away. What it leaves is put right by the next command of the release.
  const first = await untilEnded(helm);
  if (first.state !== "succeeded") expect(first.trouble?.code).toMatch(/^(?:HELM_|KUBE_)/);
  const next = await submit("helm", helmDeeds.make(ground, "restarts", 2).spec);
  await expectOneClaim(await untilEnded(next), "succeeded");
  expect(await helmDeeds.findLeftovers?.(ground)).toEqual([]);
  expect(await helmDeeds.check(ground, "restarts", [2])).toEqual([]);
});

test("a right that was taken away is missing, also after a restart, and the hint says so", {
  timeout: 300_000,
}, async () => {
  await cluster.kubectl(["delete", "rolebinding", "storm", "--namespace", ground.namespace]);
  const id = await submit("manifests", { set: "denied", namespace: ground.namespace, manifests: configMap("denied") });
  const { state, trouble } = await untilEnded(id);
  expect(state).toBe("failed");
  expect(trouble).toMatchObject({ code: "KUBE_FORBIDDEN", hint: expect.stringMatching(/\S/) });
});

/** Waits for the Pod of `release`, and then makes a ConfigMap. */
function flowUntil(name: string): object {
  const { namespace } = ground;
  const steps = [
    { id: "ready", wait: { apiVersion: "v1", kind: "Pod", name: `go-${name}`, until: "ready", timeoutSeconds: 600 } },
    { id: "last", manifests: { set: `last-${name}`, manifests: configMap(`last-${name}`), wait: false } },
  ];
  return { name: `flow-${name}`, namespace, steps };
}

/** A set with a Pod for which there is no node before `release`. */
function setUntil(name: string): object {
  const { namespace } = ground;
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `held-${name}` },
    spec: { containers: [{ name: "main", image: "storm" }], nodeSelector: { held: name } },
  };
  return { set: name, namespace, manifests: JSON.stringify(pod), wait: { timeoutSeconds: 600 } };
}

async function release(name: string): Promise<void> {
  const inNamespace = ["--namespace", ground.namespace];
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `go-${name}` },
    spec: { containers: [{ name: "main", image: "storm" }] },
  };
  await expect
    .poll(async () => {
      try {
        await cluster.kubectl(["label", "nodes", "--all", "--overwrite", `held=${name}`]);
        await cluster.kubectl(["apply", "-f", "-", ...inNamespace], { input: JSON.stringify(pod) });
        return "done";
      } catch (error) {
        return String(error);
      }
    }, patience)
    .toBe("done");
}

function configMap(name: string): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
}

async function submit(kind: string, spec: object): Promise<string> {
  const body = JSON.stringify({ cluster: ground.joined.name, kind, spec });
  const answer = await requestHub(hub, "/api/v1/commands", { method: "POST", body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return (answer.json() as Command).id;
}

async function show(id: string): Promise<CommandDetail> {
  return (await requestHub(hub, `/api/v1/commands/${id}`)).json() as CommandDetail;
}

async function untilRunning(...ids: readonly string[]): Promise<void> {
  for (const id of ids) await expect.poll(async () => (await show(id)).state, patience).toBe("running");
}

async function untilEnded(id: string): Promise<CommandDetail> {
  await expect.poll(async () => (await show(id)).finishedAt, { ...patience, timeout: 240_000 }).toBeDefined();
  return await show(id);
}

async function expectOneClaim({ state, history, trouble }: CommandDetail, wanted: string): Promise<void> {
  expect(state, JSON.stringify(trouble)).toBe(wanted);
  expect(history.filter(({ to }) => to === "claimed")).toHaveLength(1);
}
