// The inventory on a store in memory, and an agent that says whatever a test wants, over typed calls as on a link.

import { createClient, createRouterTransport } from "@connectrpc/connect";
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import { InventoryService, type Role, type SyncResponse, toVersion } from "@fairlead/protocol";
import type { Kysely } from "kysely";
import { pino } from "pino";
import type { Store, Tables } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { type Clusters, openClusters, type Staleness } from "../../reach/clusters/index.ts";
import { createPresence } from "../../reach/clusters/presence.fixture.ts";
import type { CommittedChange } from "./index.ts";
import { createFreshness, createInventoryRpc, type Inventory, openInventory } from "./index.ts";
import type { InventoryLimits } from "./quota.ts";

export interface InventoryHarness extends AsyncDisposable {
  readonly store: Store;
  readonly clock: MovableClock;
  readonly inventory: Inventory;
  readonly clusters: Clusters;
  readonly committed: CommittedChange[];
  staleness(cluster: string): Staleness | undefined;
  /** Names a cluster that nobody else uses. */
  createCluster(): Promise<string>;
  /** The same store, served by another hub. */
  restart(): Promise<void>;
  dial(cluster: string, options?: { readonly roles?: readonly Role[] }): FakeAgent;
}

type Request =
  Parameters<ReturnType<typeof createClient<typeof InventoryService>>["sync"]>[0] extends AsyncIterable<infer Each>
    ? Each
    : never;

export interface FakeAgent {
  send(...requests: NonNullable<Request["message"]>[]): void;
  /** The next answer. Rejects when the call has ended. */
  next(): Promise<NonNullable<SyncResponse["message"]>>;
  /** The next answer of this kind; others are thrown away. */
  until<Case extends string>(
    wanted: Case,
  ): Promise<Extract<NonNullable<SyncResponse["message"]>, { case: Case }>["value"]>;
  /** Starts with what a good agent says. */
  start(options?: { uid?: string; instance?: string; epoch?: bigint }): Promise<void>;
  /** Ends its direction. */
  end(): void;
  /** As when the link is cut. */
  cut(): void;
}

export async function startInventory(
  options: { readonly wrap?: (db: Kysely<Tables>) => Kysely<Tables>; readonly limits?: Partial<InventoryLimits> } = {},
): Promise<InventoryHarness> {
  const { wrap = (db) => db } = options;
  const limits = {
    clusterMaxKinds: 1_024,
    clusterMaxObjects: 500_000,
    clusterMaxBytes: 2 ** 31,
    ...options.limits,
  };
  const store = await openMemoryStore();
  const clock = createMovableClock(Date.UTC(2030, 0, 1));
  const log = pino({ level: "silent" });
  const committed: CommittedChange[] = [];
  let open = await openAll();
  let count = 0;

  async function openAll() {
    const freshness = createFreshness({ clock });
    const links = createPresence();
    const clusters = await openClusters({ db: store.db, links, staleness: freshness.staleness, clock });
    const inventory = await openInventory({ db: wrap(store.db), clusters, freshness, limits, clock, log });
    inventory.onCommitted((changes) => committed.push(...changes));
    return { clusters, inventory, freshness };
  }

  async function close(): Promise<void> {
    await open.inventory[Symbol.asyncDispose]();
    await open.clusters[Symbol.asyncDispose]();
  }

  return {
    store,
    clock,
    committed,
    get inventory() {
      return open.inventory;
    },
    get clusters() {
      return open.clusters;
    },
    staleness: (cluster) => open.freshness.staleness(cluster),
    async createCluster() {
      return (await open.clusters.create({ name: `cluster-${++count}`, roles: ["observe"] })).name;
    },
    async restart() {
      await close();
      open = await openAll();
    },
    dial: (cluster, { roles = ["observe"] as const } = {}) => dial(open.inventory, { cluster, roles }),
    async [Symbol.asyncDispose]() {
      await close();
      await store[Symbol.asyncDispose]();
    },
  };
}

export function dial(inventory: Pick<Inventory, "sync">, peer: { cluster: string; roles: readonly Role[] }): FakeAgent {
  const transport = createRouterTransport((router) => createInventoryRpc(inventory as Inventory)(router, () => peer));
  const abort = new AbortController();
  const queue: Request[] = [];
  let wake: (() => void) | undefined;
  let isOver = false;
  async function* requests(): AsyncGenerator<Request> {
    while (true) {
      while (queue.length > 0) yield queue.shift() as Request;
      if (isOver) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  const answers = createClient(InventoryService, transport)
    .sync(requests(), { signal: abort.signal })
    [Symbol.asyncIterator]();
  const agent: FakeAgent = {
    send(...messages) {
      queue.push(...messages.map((message) => ({ message })));
      wake?.();
    },
    async next() {
      const answer = await answers.next();
      if (answer.done) throw new Error("the call has ended");
      return answer.value.message;
    },
    async until(wanted) {
      while (true) {
        const message = await agent.next();
        if (message.case === wanted) return message.value as never;
      }
    },
    async start({ uid = "kube-system-1", instance = "agent-1", epoch = 1n } = {}) {
      const value = { kubeSystemUid: uid, agentInstanceId: instance, leaseEpoch: epoch, sentAtMs: 0n };
      agent.send({ case: "start", value });
      await agent.until("welcome");
    },
    end() {
      isOver = true;
      wake?.();
    },
    cut: () => abort.abort(),
  };
  return agent;
}

export const pods = {
  id: 1,
  resource: "pods",
  version: "v1",
  kind: "Pod",
  namespaced: true,
  state: "listing",
} as const;

/** A change that brings an object. */
export function applied(
  kind: number,
  object: { readonly metadata: { readonly uid: string }; readonly [field: string]: unknown },
): { kind: number; uid: string; version: bigint; objectJson: Uint8Array<ArrayBuffer> } {
  return appliedJson(kind, object.metadata.uid, JSON.stringify(object));
}

export function appliedJson(
  kind: number,
  uid: string,
  json: string,
): { kind: number; uid: string; version: bigint; objectJson: Uint8Array<ArrayBuffer> } {
  const objectJson = Uint8Array.from(Buffer.from(json));
  return { kind, uid, version: toVersion(objectJson), objectJson };
}

export function pod(
  uid: string,
  options: {
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly phase?: string;
    readonly image?: string;
    readonly [field: string]: unknown;
  } = {},
): { metadata: { uid: string; name: string; [field: string]: unknown }; [field: string]: unknown } {
  const { namespace = "default", labels = { app: "web" }, phase = "Running", image = "web:1", ...rest } = options;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { uid, name: `pod-${uid}`, namespace, labels, creationTimestamp: "2029-12-31T23:00:00Z" },
    spec: {
      nodeName: "node-1",
      containers: [{ name: "web", image, resources: { requests: { cpu: "250m", memory: "64Mi" } } }],
    },
    status: { phase },
    ...rest,
  };
}
