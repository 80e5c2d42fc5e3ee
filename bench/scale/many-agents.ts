// Connects thousands of idle agents to one hub on a PostgreSQL, each with its own name, key, certificate and address.
// Measures what a link costs, and how long all of them take to come back after the hub was killed, beside as many bare
// TLS handshakes.
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import { createAuthority } from "@fairlead/protocol/x509";
import { startHubs, type TestHub } from "@fairlead/testkit";
import { readCpuMs } from "../harness/cpu.ts";
import { type EnrolledAgent, enrollAgents } from "../harness/enrolled-agents.ts";
import { type ForkedPeer, forkPeer } from "../harness/forked-peer.ts";
import { readResidentBytes } from "../harness/memory.ts";
import { startPeer } from "../harness/peer-process.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import { wallMs } from "../harness/wall-clock.ts";
import { fillFleet } from "../inventory/fill-fleet.ts";
import { watchAnswers } from "./watch-answers.ts";

const processes = 4;
const settleMs = 20_000;
/** For all to be there, and for each of them. */
const patienceMs = 60_000;
const patienceOfOneMs = 60;

export async function measureManyAgents(options: { count: number; say: (text: string) => void }): Promise<Row[]> {
  const { count, say } = options;
  await using hubs = await startHubs({ count: 2, isBuilt: true });
  const [hub, helper] = hubs.hubs;
  if (hub === undefined || helper === undefined) throw new Error("this takes two hubs");
  const enrolled = await enrollAtBoth([hub, helper], { count, say });
  await helper.stop();
  // Something to be asked for, from one that is gone again.
  for (const agent of await fillFleet({ hub, clusters: 1, perCluster: 100, say })) agent[Symbol.dispose]();
  // A hub without the garbage of thousands of enrollments.
  await hub.stop();
  await hub.start();
  await delay(settleMs);
  const before = readResidentBytes(hub.process.pid);
  await using undo = new AsyncDisposableStack();
  const peers = Array.from({ length: processes }, () => undo.use(forkPeer("idle-agents.ts")));
  say(`${count} agents dial`);
  await openAll({ peers, enrolled, hub });
  await untilUp(peers, count);
  // Memory that the handshakes left behind isn't the links' cost: V8 collects it after some idle seconds.
  await delay(settleMs);
  const perLinkKiB = (readResidentBytes(hub.process.pid) - before) / 1024 / count;

  const bareMs = await shakeHands({ peers, hub, say });
  say(`killing the hub under ${count} links`);
  await hub.stop("KILL");
  await hub.start();
  const startedAtMs = wallMs();
  const cpuBefore = readCpuMs(hub.process.pid);
  const answers = watchAnswers(hub);
  await untilUp(peers, count);
  const backMs = (await lastChange(peers)) - startedAtMs;
  const cpuMs = (readCpuMs(hub.process.pid) - cpuBefore) / count;
  const worst = await answers.stop();
  return [
    {
      name: `hub memory per idle link (${count})`,
      unit: "KiB",
      figures: { fairlead: perLinkKiB },
      targets: [atMost(perLinkKiB, 100, "KiB")],
    },
    {
      name: `${count} agents back after the hub was killed and is up again`,
      unit: "s",
      figures: { "bare TLS": bareMs / 1000, fairlead: backMs / 1000, ratio: backMs / bareMs },
      targets: [atMost(backMs / bareMs, 1.3, "of bare TLS")],
    },
    { name: "hub's CPU time for each that came back", unit: "ms", figures: { fairlead: cpuMs } },
    ...worst.map(({ what, count: asked, p50Ms, worstMs }) => ({
      name: `${what} meanwhile, the slowest of ${asked}`,
      unit: "ms",
      figures: { fairlead: worstMs, p50: p50Ms },
      targets: [atMost(worstMs, 1_000, "ms")],
    })),
  ];
}

/** Enrols at two hubs to halve the time. The measurement begins later. */
async function enrollAtBoth(
  [one, other]: readonly [TestHub, TestHub],
  { count, say }: { readonly count: number; readonly say: (text: string) => void },
): Promise<EnrolledAgent[]> {
  const half = Math.ceil(count / 2);
  const common = { prefix: "idle", roles: ["proxy"] as const, say };
  const [first, second] = await Promise.all([
    enrollAgents({ ...common, hub: one, count: half }),
    enrollAgents({ ...common, hub: other, count: count - half, from: half }),
  ]);
  return [...first, ...second];
}

async function openAll(options: {
  peers: readonly ForkedPeer[];
  enrolled: readonly EnrolledAgent[];
  hub: TestHub;
}): Promise<void> {
  const { peers, enrolled, hub } = options;
  const { agentUrl, caPem } = hub;
  await Promise.all(
    peers.map((peer, index) => {
      const agents = enrolled.filter((_, each) => each % peers.length === index);
      return peer.ask("open", { agents, agentUrl, caPem });
    }),
  );
}

async function shakeHands(options: {
  peers: readonly ForkedPeer[];
  hub: TestHub;
  say: (text: string) => void;
}): Promise<number> {
  const { peers, hub, say } = options;
  say("as many bare TLS handshakes");
  const authority = await createAuthority({ commonName: "bench", days: 2 });
  const server = await authority.issueServerCertificate({ names: ["localhost", "127.0.0.1"], ttlMs: 24 * 3_600_000 });
  const { certPem, keyPem } = server;
  await using bare = await startPeer("mutual-tls-server.ts", { certPem, keyPem, clientCaPem: hub.caPem });
  const times = await Promise.all(
    peers.map((peer) => peer.ask<number>("shakeHands", { port: bare.port, caPem: authority.caPem })),
  );
  return Math.max(...times);
}

interface Count {
  readonly up: number;
  readonly lastChangeMs: number;
}

async function untilUp(peers: readonly ForkedPeer[], count: number): Promise<void> {
  let up = 0;
  const areUp = async () => {
    const counts = await Promise.all(peers.map((peer) => peer.ask<Count>("count")));
    up = counts.reduce((sum, each) => sum + each.up, 0);
    return up === count;
  };
  const timeoutMs = patienceMs + count * patienceOfOneMs;
  if (await waitUntil(areUp, { timeoutMs, intervalMs: 250 })) return;
  throw new Error(`${up} of ${count} links are up after ${timeoutMs / 1000} s`);
}

async function lastChange(peers: readonly ForkedPeer[]): Promise<number> {
  const counts = await Promise.all(peers.map((peer) => peer.ask<Count>("count")));
  return Math.max(...counts.map(({ lastChangeMs }) => lastChangeMs));
}
