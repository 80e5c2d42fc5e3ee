// Clusters that one test file after the other has for itself. One that waits for its next file stands still.
import { toFairleadError } from "@fairlead/kernel";
import { type Component, readRecord, renameCluster, startCluster, type TestCluster } from "../cluster/index.ts";
import { becomesReady, type FirstState, readFirstState, resetCluster } from "./reset-cluster.ts";

export interface LeasePool extends AsyncDisposable {
  take(name: string): Promise<TestCluster>;
  /** Puts it back to how it was; one where that fails is stopped. Never rejects. */
  giveBack(cluster: TestCluster): Promise<void>;
}

export function openLeasePool({ mostIdle = 3 }: { mostIdle?: number } = {}): LeasePool {
  const all = new Map<TestCluster, Held>();
  const idle: TestCluster[] = [];
  /** Those that are being put back, and whether they came out of it. */
  const returning = new Map<TestCluster, Promise<boolean>>();
  let isClosed = false;

  const end = async (cluster: TestCluster) => {
    all.delete(cluster);
    await cluster[Symbol.asyncDispose]();
  };
  const findOne = async (): Promise<TestCluster> => {
    for (;;) {
      const [resting] = idle.splice(0, 1);
      const [coming] = resting === undefined ? returning.keys() : [];
      const cluster = resting ?? coming;
      if (cluster === undefined) return await startOne(all);
      const isBack = returning.get(cluster);
      returning.delete(cluster);
      if (isBack === undefined ? await wakes(cluster) : await isBack) return cluster;
      if (isBack === undefined) await end(cluster);
    }
  };
  const comesBack = async (cluster: TestCluster, held: Held): Promise<boolean> => {
    try {
      await resetCluster(cluster, held.etcdUrl, held.first);
      return true;
    } catch (error) {
      const [why] = toFairleadError(error).message.split("\n", 1);
      if (!isClosed) process.stderr.write(`testkit: a leased cluster is thrown away: ${why}\n`);
      await end(cluster);
      return false;
    }
  };
  return {
    async take(name) {
      const cluster = await findOne();
      await renameCluster(cluster.stateDir, name);
      return cluster;
    },
    async giveBack(cluster) {
      const held = all.get(cluster);
      if (held === undefined || isClosed) return;
      const isBack = comesBack(cluster, held);
      returning.set(cluster, isBack);
      const isReset = await isBack;
      // Somebody who waited for it may have it by now.
      if (!returning.delete(cluster) || !isReset) return;
      if (idle.length >= mostIdle) return await end(cluster);
      idle.push(cluster);
      for (const one of partsOf(cluster).reverse()) one.pause();
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all([...all.keys()].map(end));
    },
  };
}

interface Held {
  readonly etcdUrl: string;
  readonly first: FirstState;
}

async function startOne(all: Map<TestCluster, Held>): Promise<TestCluster> {
  const cluster = await startCluster({ name: "leased", nodes: 0 });
  try {
    const { etcdUrl } = await readRecord(cluster.stateDir);
    all.set(cluster, { etcdUrl, first: await readFirstState(cluster, etcdUrl) });
    return cluster;
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

async function wakes(cluster: TestCluster): Promise<boolean> {
  for (const one of partsOf(cluster)) one.resume();
  return await becomesReady(cluster.api);
}

/** Etcd first, which the API server must not miss. */
function partsOf({ components }: TestCluster): Component[] {
  const { etcd, "kube-apiserver": apiServer, ...others } = components;
  return [etcd, apiServer, ...Object.values(others)];
}
