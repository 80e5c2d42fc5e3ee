// A cluster that an agent observes, and how far it is.
import { setTimeout as delay } from "node:timers/promises";
import { findLogLines, type JoinedCluster, joinCluster, type TestCluster, type TestHub } from "@fairlead/testkit";
import { askHub } from "./hub-api.ts";
import { readLogTime } from "./log-time.ts";

export interface ObservedCluster extends AsyncDisposable {
  readonly name: string;
  readonly joined: JoinedCluster;
  /** Milliseconds since the epoch, of the newest start. */
  startedAt(): Promise<number>;
  connectedAt(): Promise<number>;
  /** The sum over all label sets of one of the agent's metrics, or of those that `labels` says. */
  readMetric(name: string, labels?: string): Promise<number>;
  /** Until the agent says that the hub has everything; answers when that was seen. */
  untilSynced(): Promise<number>;
}

export async function joinObserved(options: {
  hub: TestHub;
  cluster: TestCluster;
  name: string;
  agentArgs: readonly string[];
}): Promise<ObservedCluster> {
  const { hub, cluster, name, agentArgs } = options;
  const joined = await joinCluster({
    hub,
    name,
    roles: ["observe"],
    kubeconfig: cluster.adminKubeconfig,
    isAgentBuilt: true,
    // As the chart has it.
    agentEnv: { MALLOC_ARENA_MAX: "1" },
    agentArgs,
  });
  const newest = async (message: string) => (await findLogLines(joined.agent.logFile, message)).at(-1);
  const { healthUrl } = (await newest("agent starts")) as { healthUrl: string };
  const readMetric = async (metric: string, labels = "") => {
    const text = await (await fetch(`${healthUrl}/metrics`)).text();
    const lines = text.split("\n").filter((line) => /^[a-z_]+/.exec(line)?.[0] === metric && line.includes(labels));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  };
  return {
    name,
    joined,
    readMetric,
    startedAt: async () => readLogTime((await newest("agent starts"))?.["time"]),
    connectedAt: async () => readLogTime((await newest("agent is connected"))?.["time"]),
    async untilSynced() {
      const deadline = Date.now() + 300_000;
      for (;;) {
        const { status } = await fetch(`${healthUrl}/readyz`);
        const pending = await readMetric("fairlead_agent_inventory_pending_changes");
        const now = Date.now();
        if (status === 200 && pending === 0 && (await areAllSynced(hub, name))) return now;
        if (now > deadline) throw new Error(`${name} isn't synced after five minutes`);
        await delay(10);
      }
    },
    [Symbol.asyncDispose]: () => joined[Symbol.asyncDispose](),
  };
}

async function areAllSynced(hub: TestHub, name: string): Promise<boolean> {
  const { kinds } = await askHub<{ kinds: { state: string }[] }>(hub, `/api/v1/clusters/${name}/inventory`);
  return kinds.length > 0 && kinds.every(({ state }) => state === "synced");
}
