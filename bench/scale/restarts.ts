// Three hubs behind balancers, of which one is killed under load; then all are restarted, one after the other, under
// requests and exec sessions that are shorter than a hub's drain.
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import {
  createAgentKubeconfig,
  joinCluster,
  startCluster,
  startHubs,
  type TestCluster,
  type TestHubs,
} from "@fairlead/testkit";
import { echoUntil } from "../harness/echo.ts";
import { enrollAgents } from "../harness/enrolled-agents.ts";
import { type ForkedPeer, forkPeer } from "../harness/forked-peer.ts";
import { createBenchObjects } from "../harness/kube-objects.ts";
import type { Route } from "../harness/load.ts";
import { readMetric } from "../harness/metrics.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import { wallMs } from "../harness/wall-clock.ts";
import { type AskedAgain, keepAskingAgain } from "./asking-again.ts";

const clients = 16;
const names = ["one", "two", "three"];
const quietMs = 5_000;
const sessionMs = 5_000;
const patienceMs = 60_000;

export async function measureRestarts(options: { idle: number; say: (text: string) => void }): Promise<Row[]> {
  const { idle, say } = options;
  await using undo = new AsyncDisposableStack();
  const cluster = undo.use(await startCluster({ name: "bench", nodes: 1 }));
  const hubs = undo.use(await startHubs({ count: 3, isBuilt: true }));
  await createBenchObjects(cluster);
  for (const name of names) undo.use(await joinAs({ cluster, hubs, name }));
  const peer = undo.use(forkPeer("idle-agents.ts"));
  const agents = await enrollAgents({ hub: hubs.behind, count: idle, prefix: "idle", roles: ["proxy"], say });
  const { agentUrl, caPem } = hubs.behind;
  await peer.ask("open", { agents, agentUrl, caPem });
  await untilUp(peer, idle);
  const rows = await measureKill({ hubs, peer, idle, say });
  rows.push(...(await measureRolling({ hubs, say })));
  return rows;
}

async function joinAs(options: { cluster: TestCluster; hubs: TestHubs; name: string }) {
  const { cluster, hubs, name } = options;
  const kubeconfig = await createAgentKubeconfig(cluster, `agent-${name}`);
  return await joinCluster({ hub: hubs.behind, name, kubeconfig, roles: ["proxy"], isAgentBuilt: true });
}

async function measureKill(options: {
  hubs: TestHubs;
  peer: ForkedPeer;
  idle: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { hubs, peer, idle, say } = options;
  const [first] = hubs.hubs;
  if (first === undefined) throw new Error("this takes hubs");
  const itsAgents = await readMetric(first, "fairlead_links");
  const load = keepAskingAgain({ hub: hubs.behind, paths, clients });
  await delay(quietMs);
  say(`killing a hub with ${itsAgents} links`);
  await first.stop("KILL");
  const killedAtMs = wallMs();
  await waitUntil(async () => (await peer.ask<Count>("count")).up < idle, { timeoutMs: patienceMs });
  await untilUp(peer, idle);
  const backMs = (await peer.ask<Count>("count")).lastChangeMs - killedAtMs;
  await delay(quietMs);
  const asked = await load.stop();
  await first.start();
  return [
    ...describeRequests("while a hub was killed", asked, say),
    {
      name: `its ${itsAgents} links are at the other two`,
      unit: "s",
      figures: { fairlead: backMs / 1000 },
      targets: [atMost(backMs / 1000, 15, "s")],
    },
  ];
}

async function measureRolling(options: { hubs: TestHubs; say: (text: string) => void }): Promise<Row[]> {
  const { hubs, say } = options;
  const load = keepAskingAgain({ hub: hubs.behind, paths, clients });
  const isOver = new AbortController();
  const sessions = keepEchoing(hubs, isOver.signal);
  await delay(quietMs);
  for (const [index, hub] of hubs.hubs.entries()) {
    say(`restarting hub ${index + 1}`);
    await hub.stop("TERM");
    await hub.start();
    await delay(quietMs);
  }
  isOver.abort();
  const { begun, lost } = await sessions;
  for (const reason of lost) say(`an exec session was lost: ${reason}`);
  return [
    ...describeRequests("while all hubs were restarted in turn", await load.stop(), say),
    {
      name: `exec sessions lost meanwhile, of ${begun} of ${sessionMs / 1000} s each`,
      unit: "",
      figures: { fairlead: lost.length },
      targets: [atMost(lost.length, 0, "")],
    },
  ];
}

/** A session begins each second, at whichever hub the balancer gives it to. */
async function keepEchoing(hubs: TestHubs, over: AbortSignal): Promise<{ begun: number; lost: readonly string[] }> {
  const { url: origin, caPem: ca, adminToken } = hubs.behind;
  const lost: string[] = [];
  const sessions: Promise<void>[] = [];
  for (let number = 0; !over.aborted; number++) {
    const name = names[number % names.length];
    const authorization = `Bearer ${adminToken}`;
    const route: Route = { name: "fairlead", origin, pathPrefix: `/k8s/clusters/${name}`, ca, authorization };
    const begunAt = performance.now();
    const lose = (reason: string): void => {
      const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
      lost.push(`${new Date().toISOString()}, in ${name}, ${seconds} s after its start: ${reason}`);
    };
    sessions.push(
      echoUntil({
        route,
        pod: "bulk",
        until: AbortSignal.timeout(sessionMs),
        signal: AbortSignal.timeout(patienceMs),
      }).then(
        (isWhole) => (isWhole ? undefined : lose("what came back isn't what was sent")),
        (error: unknown) => lose(error instanceof Error ? error.message : String(error)),
      ),
    );
    await delay(1_000, undefined, { signal: over }).catch(() => undefined);
  }
  await Promise.all(sessions);
  return { begun: sessions.length, lost };
}

function describeRequests(when: string, asked: AskedAgain, say: (text: string) => void): Row[] {
  const { answered, again, failures, worstMs } = asked;
  for (const failure of failures.slice(0, 5)) say(`a request failed: ${failure}`);
  return [
    {
      name: `requests that failed ${when}, of ${answered + failures.length}`,
      unit: "",
      figures: { fairlead: failures.length },
      targets: [atMost(failures.length, 0, "")],
    },
    { name: "requests that were asked twice, since their connection ended", unit: "", figures: { fairlead: again } },
    { name: "the slowest of them", unit: "ms", figures: { fairlead: worstMs } },
  ];
}

interface Count {
  readonly up: number;
  readonly lastChangeMs: number;
}

async function untilUp(peer: ForkedPeer, count: number): Promise<void> {
  const isUp = async () => (await peer.ask<Count>("count")).up === count;
  if (!(await waitUntil(isUp, { timeoutMs: patienceMs }))) throw new Error("not all links are up after a minute");
}

const paths = names.map((name) => `/k8s/clusters/${name}/api/v1/namespaces/default/configmaps/small`);
