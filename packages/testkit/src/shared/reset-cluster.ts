// Puts a cluster back to what it was when it became ready, so that the next test file finds nothing of the one before.
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import {
  type ApiClient,
  type Component,
  compareEtcd,
  type EtcdDifference,
  type EtcdState,
  isDifferent,
  isServing,
  putBackEtcd,
  readEtcd,
  readRevision,
  type TestCluster,
} from "../cluster/index.ts";
import { processNotReady, testkitErrors } from "../errors.ts";

/** A cluster as it was when nobody had used it yet. */
export interface FirstState {
  readonly etcd: EtcdState;
  /** The paths of all kinds that can be listed. */
  readonly resources: readonly string[];
  readonly openApiPaths: readonly string[];
  readonly uid: string;
}

/** Waits until the controllers have made what they make in an empty cluster. */
export async function readFirstState(cluster: TestCluster, etcdUrl: string): Promise<FirstState> {
  let etcd = await readEtcd(etcdUrl);
  const isSettled = async () => {
    await delay(settleMs);
    if (!isDifferent(await compareEtcd(etcdUrl, etcd))) return true;
    etcd = await readEtcd(etcdUrl);
    return false;
  };
  if (!(await waitUntil(isSettled, { timeoutMs }))) {
    throw processNotReady("the new cluster", timeoutMs, "Its controllers write without end.");
  }
  return { etcd, ...(await readServed(cluster)), uid: await readUid(cluster) };
}

/** Fails where the cluster is another one than before, or doesn't come to rest. */
export async function resetCluster(cluster: TestCluster, etcdUrl: string, first: FirstState): Promise<void> {
  await startParts(cluster);
  if ((await readUid(cluster)) !== first.uid)
    throw testkitErrors.TESTKIT_LEASE_SPOILT({ why: "It is another cluster." });
  const controllers = controllerNames.map((name) => cluster.components[name]);
  for (let round = 0; round < mostRounds; round++) {
    const difference = await compareEtcd(etcdUrl, first.etcd);
    if (round > 0 && !isDifferent(difference)) {
      await removeFiles(cluster.stateDir);
      return;
    }
    // They would make again what is taken from them piece by piece.
    for (const one of controllers) one.pause();
    try {
      await putBack(cluster, etcdUrl, first, difference);
    } finally {
      for (const one of controllers) one.resume();
    }
    await delay(settleMs);
  }
  throw testkitErrors.TESTKIT_LEASE_SPOILT({ why: "Its controllers change again what is put back." });
}

async function putBack(
  cluster: TestCluster,
  etcdUrl: string,
  first: FirstState,
  difference: EtcdDifference,
): Promise<void> {
  await putBackEtcd(etcdUrl, first.etcd, difference);
  const isAsBefore = async () => {
    const { resources, openApiPaths } = await readServed(cluster);
    return isSame(resources, first.resources) && isSame(openApiPaths, first.openApiPaths);
  };
  if (!(await waitUntil(isAsBefore, { timeoutMs, intervalMs: 50 }))) {
    throw testkitErrors.TESTKIT_LEASE_SPOILT({ why: "Its API server doesn't serve the kinds that it served before." });
  }
  const revision = await readRevision(etcdUrl);
  for (const path of first.resources) await followed(cluster, path, revision);
}

/** Until the API server's cache of a kind is as new as this revision. Kinds without one say that they can't tell. */
async function followed({ api }: TestCluster, path: string, revision: string): Promise<void> {
  const query = `limit=1&resourceVersion=${revision}&resourceVersionMatch=NotOlderThan`;
  const hasCome = async () => [200, 405].includes((await api.send({ path: `${path}?${query}` })).status);
  if (await waitUntil(hasCome, { timeoutMs, intervalMs: 50 })) return;
  throw testkitErrors.TESTKIT_LEASE_SPOILT({ why: `Its API server's cache of ${path} doesn't follow.` });
}

/** Etcd first: an API server without it hangs. */
async function startParts({ api, components }: TestCluster): Promise<void> {
  const { etcd, "kube-apiserver": apiServer, ...others } = components;
  const startOne = async (one: Component) => {
    await one.start();
    one.resume();
  };
  await startOne(etcd);
  await startOne(apiServer);
  await Promise.all(Object.values(others).map(startOne));
  if (await becomesReady(api)) return;
  throw testkitErrors.TESTKIT_LEASE_SPOILT({ why: "Its API server doesn't answer." });
}

export function becomesReady(api: ApiClient): Promise<boolean> {
  return waitUntil(() => isServing(api), { timeoutMs });
}

async function removeFiles(stateDir: string): Promise<void> {
  for (const folder of ["pods", "kubeconfigs", "kubectl-cache"].map((name) => join(stateDir, name))) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function readUid({ api }: TestCluster): Promise<string> {
  const { metadata } = await api.json<{ metadata: { uid: string } }>({ path: "/api/v1/namespaces/kube-system" });
  return metadata.uid;
}

async function readServed({ api }: TestCluster): Promise<Pick<FirstState, "resources" | "openApiPaths">> {
  const documents = await Promise.all(
    ["/api", "/apis"].map((path) => api.json<Discovery>({ path, accept: discovery })),
  );
  const resources = documents.flatMap(({ items }, index) =>
    items.flatMap(({ metadata, versions }) =>
      versions.flatMap(({ version, resources = [] }) =>
        resources
          .filter(({ verbs }) => verbs.includes("list"))
          .map(({ resource }) => [index === 0 ? "/api" : `/apis/${metadata?.name}`, version, resource].join("/")),
      ),
    ),
  );
  const { paths } = await api.json<{ paths: object }>({ path: "/openapi/v3" });
  return { resources, openApiPaths: Object.keys(paths) };
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}

interface Discovery {
  readonly items: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources?: readonly { readonly resource: string; readonly verbs: readonly string[] }[];
    }[];
  }[];
}

const controllerNames = ["kube-controller-manager", "kube-scheduler", "kwok"] as const;
const discovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const mostRounds = 20;
const settleMs = 500;
const timeoutMs = 60_000;
