// A hub with a hundred clusters: what a question over all of them takes, and what a thousand people hold who look at the
// same kind all the time.
import { setTimeout as delay } from "node:timers/promises";
import { startHub, type TestHub } from "@fairlead/testkit";
import { readCpuMs } from "../harness/cpu.ts";
import { enrollAgents } from "../harness/enrolled-agents.ts";
import { forkPeer } from "../harness/forked-peer.ts";
import { type Route, runLoad } from "../harness/load.ts";
import { readResidentBytes } from "../harness/memory.ts";
import type { Row } from "../harness/table.ts";
import { atLeast, atMost } from "../harness/targets.ts";
import { tellHub } from "./hub-api.ts";
import { type ReportedObject, type ReportingAgent, startReporting } from "./reporting-agent.ts";

const mebibyte = 2 ** 20;
const kinds = [
  { group: "", version: "v1", resource: "pods", kind: "Pod" },
  { group: "apps", version: "v1", resource: "deployments", kind: "Deployment" },
];
const reportersAtOnce = 4;
const settleMs = 10_000;
const loadMs = 8_000;
/** Live connections that the hub lets one user have. */
const connectionsOfOne = 100;

export async function measureFleet(options: {
  clusters: number;
  perCluster: number;
  subscribers: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { clusters, perCluster, subscribers, say } = options;
  await using hub = await startHub();
  say(`filling a hub with ${clusters} clusters of ${perCluster} pods`);
  const agents = await fillFleet({ hub, clusters, perCluster, say });
  using undo = new DisposableStack();
  for (const agent of agents) undo.use(agent);
  await delay(settleMs);
  const rows = await measureQueries({ hub, clusters, perCluster, say });
  rows.push(...(await measureSubscribers({ hub, agents, count: subscribers, say })));
  return rows;
}

async function fillFleet(options: {
  hub: TestHub;
  clusters: number;
  perCluster: number;
  say: (text: string) => void;
}): Promise<ReportingAgent[]> {
  const { hub, clusters, perCluster, say } = options;
  const enrolled = await enrollAgents({ hub, count: clusters, prefix: "fleet", roles: ["observe"], say });
  const reporting: ReportingAgent[] = [];
  await Promise.all(Array.from({ length: reportersAtOnce }, fillSome));
  return reporting;

  async function fillSome(): Promise<void> {
    for (let agent = enrolled.pop(); agent; agent = enrolled.pop()) {
      const { cluster } = agent;
      const one = await startReporting({ hub, agent, kinds });
      await one.report(
        0,
        Array.from({ length: perCluster }, (_, index) => makePod(cluster, index)),
      );
      await one.report(1, [makeDeployment(cluster, 0)]);
      one.finish();
      reporting.push(one);
      if (reporting.length % 25 === 0) say(`${reporting.length} clusters are there`);
    }
  }
}

async function measureQueries(options: {
  hub: TestHub;
  clusters: number;
  perCluster: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { hub, clusters, perCluster, say } = options;
  const route: Route = {
    ...{ name: "fairlead", origin: hub.url, pathPrefix: "", ca: hub.caPem },
    authorization: `Bearer ${hub.adminToken}`,
  };
  const query = new URLSearchParams({ kind: "pods", labelSelector: "app=app-7,tier in (web,api)", limit: "100" });
  const load = { route, path: `/api/v1/objects?${query}`, durationMs: loadMs, warmUpMs: 3_000 };
  say("asking over the fleet");
  const usedMs = readCpuMs(hub.process.pid);
  const alone = await runLoad({ ...load, concurrency: 1 });
  const cpuMs =
    (readCpuMs(hub.process.pid) - usedMs) / (alone.requestsPerSecond * ((load.durationMs + load.warmUpMs) / 1000));
  const many = await runLoad({ ...load, concurrency: 4 });
  const name = `pods of ${clusters} clusters x ${perCluster} by labels, 100 rows`;
  return [
    { name: `${name}, p50`, unit: "ms", figures: { fairlead: alone.p50Ms } },
    {
      name: `${name}, p99`,
      unit: "ms",
      figures: { fairlead: alone.p99Ms },
      targets: [atMost(alone.p99Ms, 50, "ms")],
    },
    { name: `${name}, hub's CPU time`, unit: "ms", figures: { fairlead: cpuMs } },
    { name: `${name}, 4 at a time, p99`, unit: "ms", figures: { fairlead: many.p99Ms } },
  ];
}

async function measureSubscribers(options: {
  hub: TestHub;
  agents: readonly ReportingAgent[];
  count: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { hub, agents, count, say } = options;
  const before = readResidentBytes(hub.process.pid);
  await using client = forkPeer("live-client.ts");
  say(`${count} subscribers of one kind`);
  const { url, caPem } = hub;
  for (let left = count; left > 0; left -= connectionsOfOne) {
    const token = await addViewer(hub, `viewer-${left}`);
    const some = { count: Math.min(left, connectionsOfOne), filter: { kind: "deployments.apps" } };
    await client.ask("open", { url, caPem, token, ...some, withObject: false });
  }
  await delay(settleMs);
  const received = await client.ask<number>("received");
  const changes = 10;
  for (let change = 1; change <= changes; change++) {
    const agent = agents[change % agents.length];
    await agent?.report(1, [makeDeployment(agent.cluster, change)]);
    await delay(1_000);
  }
  await delay(settleMs / 2);
  const delivered = ((await client.ask<number>("received")) - received) / count;
  const grownMiB = (readResidentBytes(hub.process.pid) - before) / mebibyte;
  return [
    {
      name: `${count} subscribers of one kind: hub's memory over that without them`,
      unit: "MiB",
      figures: { fairlead: grownMiB },
      targets: [atMost(grownMiB, 300, "MiB")],
    },
    {
      name: `changes that each of them got, of ${changes}`,
      unit: "",
      figures: { fairlead: delivered },
      targets: [atLeast(delivered, changes, "")],
    },
  ];
}

/** A robot that sees all clusters. Answers its token. */
async function addViewer(hub: TestHub, name: string): Promise<string> {
  await tellHub(hub, "/api/v1/robots", { name });
  const subject = { kind: "robot", name };
  await tellHub(hub, "/api/v1/bindings", { subject, role: "viewer", clusters: { all: true } });
  return (await tellHub<{ token: string }>(hub, `/api/v1/robots/${name}/tokens`, { ttlMs: 3_600_000 })).token;
}

function makePod(cluster: string, index: number): ReportedObject {
  const tier = ["web", "api", "batch", "cache"][index % 4];
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...describe(cluster, `pod-${index}`),
      labels: { app: `app-${index % 50}`, tier, team: `team-${index % 11}` },
    },
    spec: {
      nodeName: `node-${index % 30}`,
      containers: [
        {
          name: "main",
          image: `registry.example/team/app-${index % 50}:1.2.3`,
          env: Array.from({ length: 8 }, (_, at) => ({ name: `SETTING_${at}`, value: "x".repeat(40) })),
          resources: { requests: { cpu: "100m", memory: "128Mi" } },
        },
      ],
    },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [{ name: "main", ready: true, restartCount: 0, state: { running: {} } }],
    },
  } as ReportedObject;
}

function makeDeployment(cluster: string, generation: number): ReportedObject {
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment" },
    metadata: { ...describe(cluster, "web"), generation, labels: { app: "web" } },
    spec: { replicas: generation + 1 },
    status: { observedGeneration: generation, replicas: generation + 1 },
  } as ReportedObject;
}

function describe(cluster: string, name: string) {
  const creationTimestamp = new Date(Date.now() - 3_600_000).toISOString();
  return { uid: `${cluster}-${name}`, name, namespace: "default", creationTimestamp };
}
