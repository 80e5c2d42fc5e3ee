// Traces as a collector gets them from a real hub and a real agent: one trace for each thing that somebody asked for.
import { type CollectedSpan, type Collector, startCollector } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const undo = new AsyncDisposableStack();
let collector: Collector;
let fleet: Fleet;

beforeAll(async () => {
  collector = undo.use(await startCollector());
  const traced = ["--otlp-endpoint", collector.url];
  fleet = undo.use(await startFleet({ hub: { args: traced }, roles: ["proxy", "execute"], agentArgs: traced }));
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  const inNamespace = ["--namespace", fleet.namespace.name];
  await fleet.cluster.kubectl(["create", "rolebinding", "execute", "--clusterrole=admin", agents, ...inNamespace]);
});
afterAll(() => undo.disposeAsync());

test("a caller's trace goes on through hub and agent", async () => {
  const path = `/k8s/clusters/east/api/v1/namespaces/${fleet.namespace.name}/pods?limit=7`;
  expect((await requestHub(fleet.hub, path, { headers: { traceparent: callerOf("1") } })).status).toBe(200);
  const [hub, agent] = await Promise.all(["fairlead-hub", "fairlead-agent"].map((service) => wait("1", service)));
  expect(hub).toMatchObject({ name: "list pods", kind: 2, parentSpanId: callerSpan, isError: false });
  expect(hub?.attributes).toMatchObject({ "k8s.cluster.name": "east", "k8s.namespace.name": fleet.namespace.name });
  expect(agent).toMatchObject({ name: "list pods", kind: 3, parentSpanId: hub?.spanId });
  expect(agent?.attributes["fairlead.request.id"]).toBe(hub?.attributes["fairlead.request.id"]);
});

test("a request's status is told, and one without a sign-in leaves no span", async () => {
  const nowhere = "/k8s/clusters/nowhere/api/v1/pods";
  await requestHub(fleet.hub, nowhere, { headers: { traceparent: callerOf("2") }, authorization: "Bearer nobody" });
  await requestHub(fleet.hub, "/api/v1/clusters", {
    headers: { traceparent: callerOf("2") },
    authorization: undefined,
  });
  const missing = `/k8s/clusters/east/api/v1/namespaces/${fleet.namespace.name}/pods/none`;
  await requestHub(fleet.hub, missing, { headers: { traceparent: callerOf("3") } });
  expect((await wait("3", "fairlead-agent"))?.attributes["http.response.status_code"]).toBe(404);
  expect(collector.spans.filter(({ traceId }) => traceId === traceOf("2"))).toEqual([]);
});

test("a command is one trace, from the request that created it to its outcome", async () => {
  const body = JSON.stringify({
    cluster: "east",
    kind: "manifests",
    spec: { set: "traced", namespace: fleet.namespace.name, manifests: JSON.stringify(configMap) },
  });
  const headers = { traceparent: callerOf("4") };
  const answer = await requestHub(fleet.hub, "/api/v1/commands", { method: "POST", headers, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  const life = await find(({ traceId, name }) => traceId === traceOf("4") && name === "command manifests");
  const run = await find(({ traceId, name }) => traceId === traceOf("4") && name === "run manifests");
  const submit = await find(({ traceId, name }) => traceId === traceOf("4") && name === "submit manifests");
  const asked = await find(({ traceId, name }) => traceId === traceOf("4") && name.startsWith("POST "));
  expect(asked.parentSpanId).toBe(callerSpan);
  expect(submit.parentSpanId).toBe(asked.spanId);
  expect([life.service, life.parentSpanId]).toEqual(["fairlead-hub", submit.spanId]);
  expect([run.service, run.parentSpanId]).toEqual(["fairlead-agent", submit.spanId]);
  expect(life.attributes).toMatchObject({ "fairlead.command.outcome": "succeeded", "k8s.cluster.name": "east" });
  expect(run.attributes["fairlead.command.id"]).toBe(life.attributes["fairlead.command.id"]);
});

test("no span holds a token, a query, a name of a user or the text of a command", async () => {
  const sent = JSON.stringify(collector.spans);
  expect(sent).toContain("list pods");
  for (const secret of [fleet.hub.adminToken, "limit=7", "canary-of-a-command", "admin-token"]) {
    expect(sent).not.toContain(secret);
  }
});

function callerOf(digit: string): string {
  return `00-${traceOf(digit)}-${callerSpan}-01`;
}

function traceOf(digit: string): string {
  return digit.repeat(32);
}

function wait(digit: string, service: string): Promise<CollectedSpan> {
  return find((span) => span.traceId === traceOf(digit) && span.service === service);
}

async function find(isIt: (span: CollectedSpan) => boolean): Promise<CollectedSpan> {
  await expect.poll(() => collector.spans.some(isIt), { timeout: 60_000 }).toBe(true);
  const found = collector.spans.find(isIt);
  if (found === undefined) throw new Error("no such span");
  return found;
}

const callerSpan = "c".repeat(16);
const configMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "traced" },
  data: { text: "canary-of-a-command" },
};
