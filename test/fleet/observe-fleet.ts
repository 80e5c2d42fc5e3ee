// A cluster that is observed: its agent reaches the hub through one cable and the API server through another, and there
// is a kind of a CRD beside those that every cluster has.
import { randomBytes } from "node:crypto";
import type { ClusterInventory, ObjectItem, ObjectList } from "@fairlead/contract";
import { waitUntil } from "@fairlead/kernel/testing";
import {
  type Cable,
  type ClusterAccess,
  createAgentKubeconfig,
  createNamespace,
  type JoinedCluster,
  joinCluster,
  type StartHubOptions,
  sharedCluster,
  startCable,
  startHub,
  type TestHub,
  type TestNamespace,
} from "@fairlead/testkit";
import { expect } from "vitest";
import { requestHub } from "./request-hub.ts";
import { installWidgets, type Widgets } from "./widgets.ts";

export interface ObserveFleet extends AsyncDisposable {
  readonly hub: TestHub;
  readonly cluster: ClusterAccess;
  readonly joined: JoinedCluster;
  /** Between the agent and the API server. */
  readonly apiCable: Cable;
  readonly agentKubeconfig: string;
  /** The agent's ClusterRoles and Lease are named after it. */
  readonly agentNamespace: string;
  readonly namespace: TestNamespace;
  readonly widgets: Widgets;
  /** `kind` and what else the API takes: all pages, with their objects. */
  list(query: Readonly<Record<string, string>>): Promise<readonly ObjectItem[]>;
  inventory(): Promise<ClusterInventory>;
  /** Fails with what was seen last when it doesn't come to be in time. */
  waitForInventory(is: (inventory: ClusterInventory) => boolean, timeoutMs?: number): Promise<ClusterInventory>;
  /** Every kind is in step or known to be unavailable. */
  waitForSync(timeoutMs?: number): Promise<void>;
}

export async function startObserveFleet(
  options: {
    readonly cluster?: ClusterAccess;
    readonly hub?: TestHub;
    readonly hubOptions?: StartHubOptions;
    readonly name?: string;
    readonly agentArgs?: readonly string[];
  } = {},
): Promise<ObserveFleet> {
  const { name = "east", agentArgs = [] } = options;
  await using undo = new AsyncDisposableStack();
  const cluster = options.cluster ?? (await sharedCluster());
  const hub = options.hub ?? undo.use(await startHub(options.hubOptions));
  const namespace = undo.use(await createNamespace(cluster));
  const widgets = undo.use(await installWidgets(cluster));
  const apiCable = undo.use(await startCable({ to: { port: Number(new URL(cluster.url).port) } }));
  const agentNamespace = `agent-${randomBytes(4).toString("hex")}`;
  undo.defer(
    async () => void (await cluster.api.send({ method: "DELETE", path: `/api/v1/namespaces/${agentNamespace}` })),
  );
  const include = ["configmaps", widgets.kind];
  const url = `https://127.0.0.1:${apiCable.port}`;
  const agentKubeconfig = await createAgentKubeconfig(cluster, agentNamespace, { include, url });
  const observed = ["--observe-include", include.join(",")];
  const joined = undo.use(
    await joinCluster({
      hub,
      name,
      kubeconfig: agentKubeconfig,
      roles: ["proxy", "observe"],
      agentArgs: [...observed, ...agentArgs],
    }),
  );
  const release = undo.move();
  const fleet: ObserveFleet = {
    hub,
    cluster,
    joined,
    apiCable,
    agentKubeconfig,
    agentNamespace,
    namespace,
    widgets,
    list: (query) => listAll(hub, { cluster: name, ...query }),
    inventory: () => ask<ClusterInventory>(hub, `/api/v1/clusters/${name}/inventory`),
    async waitForInventory(is, timeoutMs = 60_000) {
      let last: ClusterInventory | undefined;
      const look = async (): Promise<boolean> => {
        last = await fleet.inventory().catch(() => undefined);
        return last !== undefined && is(last);
      };
      const isSeen = await waitUntil(look, { timeoutMs, intervalMs: 100 });
      expect(isSeen, `what was seen last: ${JSON.stringify(last?.age)}`).toBe(true);
      return last as ClusterInventory;
    },
    async waitForSync(timeoutMs) {
      await fleet.waitForInventory(({ kinds, age }) => {
        const isSettled = kinds.every(({ state }) => state === "synced" || state === "unavailable");
        return age.state === "connected" && kinds.some(({ kind }) => kind === widgets.kind) && isSettled;
      }, timeoutMs);
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
  return fleet;
}

async function listAll(hub: TestHub, query: Readonly<Record<string, string>>): Promise<ObjectItem[]> {
  const items: ObjectItem[] = [];
  let cursor: string | undefined;
  do {
    const params = { include: "object", limit: "500", ...query, ...(cursor !== undefined && { cursor }) };
    const page: ObjectList = await ask(hub, `/api/v1/objects?${new URLSearchParams(params)}`);
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return items;
}

async function ask<T>(hub: TestHub, path: string): Promise<T> {
  const answer = await requestHub(hub, path);
  if (answer.status !== 200) throw new Error(`the hub answered ${path} with ${answer.status}: ${answer.text}`);
  return answer.json() as T;
}
