// A hub with a hundred clusters: what a question over all of them takes, and what a thousand people hold who look at the
// same kind all the time.
import { setTimeout as delay } from "node:timers/promises";
import { startHub, type TestHub } from "@fairlead/testkit";
import { forkPeer } from "../harness/forked-peer.ts";
import { tellHub } from "../harness/hub-api.ts";
import { readResidentBytes } from "../harness/memory.ts";
import type { Row } from "../harness/table.ts";
import { atLeast, atMost } from "../harness/targets.ts";
import { askFleet } from "./ask-fleet.ts";
import { fillFleet } from "./fill-fleet.ts";
import { makeDeployment } from "./fleet-objects.ts";
import type { ReportingAgent } from "./reporting-agent.ts";

const mebibyte = 2 ** 20;
const settleMs = 10_000;
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
  say("asking over the fleet");
  const rows = await measureQueries({ hub, name: `pods of ${clusters} clusters x ${perCluster} by labels, 100 rows` });
  rows.push(...(await measureSubscribers({ hub, agents, count: subscribers, say })));
  return rows;
}

async function measureQueries({ hub, name }: { hub: TestHub; name: string }): Promise<Row[]> {
  const { alone, cpuMs, fourAtOnce } = await askFleet(hub);
  return [
    { name: `${name}, p50`, unit: "ms", figures: { fairlead: alone.p50Ms } },
    {
      name: `${name}, p99`,
      unit: "ms",
      figures: { fairlead: alone.p99Ms },
      targets: [atMost(alone.p99Ms, 50, "ms")],
    },
    { name: `${name}, hub's CPU time`, unit: "ms", figures: { fairlead: cpuMs } },
    { name: `${name}, 4 at a time, p99`, unit: "ms", figures: { fairlead: fourAtOnce.p99Ms } },
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
