// Measures what examinations cost the agent of a large cluster: two agents observe the same cluster, and one of them
// examines it.
import { setTimeout as delay } from "node:timers/promises";
import { startCluster, startHub, type TestCluster, type TestHub } from "@fairlead/testkit";
import { buildPrograms } from "../harness/build-programs.ts";
import { readCpuMs } from "../harness/cpu.ts";
import { askHub } from "../harness/hub-api.ts";
import { readResidentBytes } from "../harness/memory.ts";
import { joinObserved, type ObservedCluster } from "../harness/observed-cluster.ts";
import { median, percentile } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import { fillLargeCluster } from "./large-cluster.ts";

const mebibyte = 2 ** 20;
/** Longer than an agent rests after an examination, so that each change has one of its own. */
const betweenChangesMs = 6_000;
const burstMs = 10_000;
const settleMs = 30_000;
const memoryMs = 20_000;

export async function measureAgent(options: {
  readonly objects: number;
  readonly changes: number;
  readonly say: (text: string) => void;
}): Promise<Row[]> {
  const { objects, changes, say } = options;
  await using undo = new AsyncDisposableStack();
  say("starting an API server and a hub");
  await buildPrograms();
  const cluster = undo.use(await startCluster({ name: "bench-doctor-agent" }));
  // Controllers would change the cluster while it is measured.
  for (const name of ["kube-controller-manager", "kube-scheduler", "kwok"] as const)
    await cluster.components[name].stop();
  say(`making ${objects} objects`);
  await fillLargeCluster(cluster, objects);
  const hub = undo.use(await startHub({ isBuilt: true }));
  const agents = {
    plain: undo.use(await joinObserved({ hub, cluster, name: "plain", agentArgs: ["--observe-doctor", "false"] })),
    examining: undo.use(await joinObserved({ hub, cluster, name: "examining", agentArgs: [] })),
  };
  for (const agent of Object.values(agents)) await agent.untilSynced();
  say("both agents are in step");
  await delay(settleMs);
  const bench: AgentBench = { cluster, hub, agents, say };
  return [
    ...(await measureVerdicts(bench, changes)),
    ...(await measureChanges(bench, { changes, everyMs: betweenChangesMs, what: "one by one" })),
    ...(await measureChanges(bench, { changes: 10 * changes, everyMs: burstMs / (10 * changes), what: "in a burst" })),
    ...(await measureMemory(bench)),
  ];
}

interface AgentBench {
  readonly cluster: TestCluster;
  readonly hub: TestHub;
  readonly agents: Readonly<Record<"plain" | "examining", ObservedCluster>>;
  readonly say: (text: string) => void;
}

const check = "argocd.application-namespaces";

/** From a changed argument, before it is sent, to the verdict in the hub's answer. */
async function measureVerdicts(bench: AgentBench, rounds: number): Promise<Row[]> {
  const { cluster, hub, say } = bench;
  say(`changing an argument of a Deployment ${rounds} times`);
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const isFit = round % 2 === 1;
    const startedAt = performance.now();
    await patchArguments(cluster, "argocd", "argocd-server", [`--application-namespaces=${isFit ? "*" : "argocd"}`]);
    await untilVerdict(hub, isFit ? "pass" : "fail");
    tookMs.push(performance.now() - startedAt);
    await delay(betweenChangesMs);
  }
  const [p50, slowest] = [median(tookMs), percentile(tookMs, 100)];
  return [
    { name: "from a changed argument to the verdict on the hub, p50", unit: "ms", figures: { examining: p50 } },
    {
      name: `from a changed argument to the verdict on the hub, the slowest of ${rounds}`,
      unit: "ms",
      figures: { examining: slowest },
      targets: [atMost(slowest, 2_000, "ms")],
    },
  ];
}

async function untilVerdict(hub: TestHub, verdict: string): Promise<void> {
  const path = `/api/v1/clusters/examining/objects/checks.fairlead.dev/-/${check}`;
  let seen: { readonly verdict: string } | undefined;
  for (const deadline = performance.now() + 120_000; performance.now() < deadline; await delay(20)) {
    seen = (await askHub<{ item: { object: { status: { verdict: string } } } }>(hub, path)).item.object.status;
    if (seen.verdict === verdict) return;
  }
  throw new Error(`${check} isn't ${verdict} after two minutes: ${JSON.stringify(seen)}`);
}

async function measureChanges(
  { cluster, agents, say }: AgentBench,
  { changes, everyMs, what }: { readonly changes: number; readonly everyMs: number; readonly what: string },
): Promise<Row[]> {
  say(`changing ${changes} workloads ${what}`);
  const usedMs = cpuOf(agents);
  for (let change = 0; change < changes; change++) {
    const beganAt = performance.now();
    await patchArguments(cluster, "default", `deployment-${change}`, ["--mode=staging", `--change=${change}-${what}`]);
    await delay(Math.max(0, everyMs - (performance.now() - beganAt)));
  }
  await delay(betweenChangesMs);
  const used = cpuOf(agents);
  const figures = {
    plain: (used.plain - usedMs.plain) / changes,
    examining: (used.examining - usedMs.examining) / changes,
  };
  const beyond = figures.examining - figures.plain;
  const name = `agent's CPU time for each changed workload, ${what}`;
  return [{ name, unit: "ms", figures: { ...figures, beyond }, targets: [atMost(beyond, 30, "ms more")] }];
}

function cpuOf({ plain, examining }: AgentBench["agents"]) {
  return { plain: readCpuMs(plain.joined.agent.process.pid), examining: readCpuMs(examining.joined.agent.process.pid) };
}

/** The lowest of some time: what a process holds goes up and down with its garbage. */
async function measureMemory({ agents, say }: AgentBench): Promise<Row[]> {
  say("looking at memory");
  await delay(settleMs);
  const lowest = { plain: Number.POSITIVE_INFINITY, examining: Number.POSITIVE_INFINITY };
  for (const end = performance.now() + memoryMs; performance.now() < end; await delay(200)) {
    for (const name of ["plain", "examining"] as const) {
      const residentBytes = readResidentBytes(agents[name].joined.agent.process.pid);
      lowest[name] = Math.min(lowest[name], residentBytes / mebibyte);
    }
  }
  const beyond = lowest.examining - lowest.plain;
  return [
    {
      name: "agent's resident memory",
      unit: "MiB",
      figures: { ...lowest, beyond },
      targets: [atMost(beyond, 10, "MiB more")],
    },
  ];
}

async function patchArguments(
  { api }: TestCluster,
  namespace: string,
  name: string,
  args: readonly string[],
): Promise<void> {
  await api.json({
    method: "PATCH",
    path: `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`,
    contentType: "application/json-patch+json",
    body: [{ op: "add", path: "/spec/template/spec/containers/0/args", value: args }],
  });
}
