// A hub with an Argo CD's API server, managed clusters, people who edit applications and controllers that write statuses,
// while one fault comes after another. Nothing is lost, nothing goes back, each sync is run once.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ClusterAccess,
  joinCluster,
  prepareArgoCrds,
  startHub,
  startHubs,
  type TestCluster,
} from "@fairlead/testkit";
import { createChance } from "../fleet/chance.ts";
import { mountHubDisk } from "../fleet/hub-disk.ts";
import { type FaultedPlace, type FaultKind, keepFailing } from "../fleet/keep-failing.ts";
import { makeSteppedClock, type SteppedClock } from "../fleet/stepped-clock.ts";
import { checkDeletions, checkEqual, checkSyncs } from "./check.ts";
import { type Controller, startController } from "./controllers.ts";
import { createApplication, keepEditing, type Ledger, openLedger } from "./editors.ts";
import { goBack } from "./go-back.ts";
import type { Ground, Harness } from "./harness.ts";
import { openStockArgo } from "./stock-argo.ts";
import { createSyncOwner } from "./sync-owner.ts";

export interface ApplicationStormReport {
  readonly faults: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly broken: readonly string[];
}

export async function runApplicationStorm(options: {
  /** It goes on until each kind of fault has come once. */
  readonly seconds: number;
  /** With several the one that owns the first cluster's sync is killed. */
  readonly hubCount?: number;
  /** Where the hub's applications are. Its API server can be restarted where it is one of the storm's own. */
  readonly center: ClusterAccess | TestCluster;
  /** Argo CD's own CLI and its controller of ApplicationSets take part. */
  readonly hasStockArgo?: boolean;
  /**
   * Managed. The same one may be there several times, and may be the center, unless faults befall clusters: these take
   * clusters of the storm's own.
   */
  readonly clusters: readonly (ClusterAccess | TestCluster)[];
  /** At the beginning, in each cluster. */
  readonly applications: number;
  /** Between one edit and the next, for each cluster. */
  readonly pauseMs: number;
  readonly faults: readonly FaultKind[];
  readonly calmSeconds: readonly [number, number];
  readonly seed: number;
  readonly onProgress?: (line: string) => void;
}): Promise<ApplicationStormReport> {
  const {
    seconds,
    center,
    clusters,
    applications,
    pauseMs,
    seed,
    hubCount = 1,
    hasStockArgo = false,
    onProgress = () => undefined,
  } = options;
  await using undo = new AsyncDisposableStack();
  onProgress("starting the hub");
  await Promise.all([...new Set([center, ...clusters])].map((cluster) => prepareArgoCrds(cluster)));
  const args = ["--argo-kubeconfig", center.adminKubeconfig];
  const several = hubCount > 1 ? undo.use(await startHubs({ count: hubCount, args })) : undefined;
  const hubsClock = options.faults.includes("hub-clock-stepped") ? await openClock(undo) : undefined;
  const hubsDisk = options.faults.includes("hub-disk-full") ? await mountHubDisk(undo) : undefined;
  const hub =
    several?.behind ?? undo.use(await startHub({ args, ...hubsDisk?.hub, ...(hubsClock && { env: hubsClock.env }) }));
  const grounds: Ground[] = [];
  for (const [index, cluster] of clusters.entries())
    grounds.push(
      await prepareGround({
        hub,
        center,
        cluster,
        name: `storm-${seed.toString(36)}-${index + 1}`,
        isClockStepped: options.faults.includes("clock-stepped"),
        undo,
      }),
    );
  const namespaces = grounds.map(({ hubSide }) => hubSide.namespace);
  const argo = hasStockArgo ? undo.use(await openStockArgo(center, namespaces)) : undefined;
  for (const namespace of namespaces) await argo?.makeSet(namespace);
  const counts: Record<string, number> = {};
  const broken: string[] = [];
  const stop = new AbortController();
  const harness: Harness = {
    hub,
    argo,
    grounds,
    chance: createChance(seed),
    over: stop.signal,
    breaks(what) {
      broken.push(what);
      onProgress(`BROKEN: ${what}`);
    },
    count(what) {
      counts[what] = (counts[what] ?? 0) + 1;
    },
  };
  const watching = new AbortController();
  const played = grounds.map((ground) => ({
    ground,
    ledger: openLedger(),
    controller: startController(harness, ground, watching.signal),
  }));
  onProgress(`making ${applications} applications in each of ${grounds.length} clusters`);
  for (const { ground, ledger } of played)
    for (let index = 0; index < applications; index++) await createApplication(harness, ground, ledger, `app-${index}`);
  const editing = played.map(({ ground, ledger }) => keepEditing(harness, ground, ledger, pauseMs));
  const round = Promise.withResolvers<void>();
  const timer = setTimeout(() => void round.promise.then(() => stop.abort()), seconds * 1000);
  const faults = await keepFailing({
    faulted: {
      hub: several
        ? createSyncOwner({ hubs: several.hubs, cluster: grounds[0]?.joined.name ?? "", report: harness })
        : hub,
      hubSide: {
        clock: hubsClock,
        disk: hubsDisk?.disk,
        apiServer: "apiServer" in center ? center.apiServer : undefined,
      },
      places: played.map(toPlace),
      chance: createChance(seed),
      over: stop.signal,
    },
    kinds: options.faults,
    calmSeconds: options.calmSeconds,
    onProgress,
    onRound: round.resolve,
  }).finally(() => {
    clearTimeout(timer);
    stop.abort();
  });
  onProgress("the storm is over");
  await Promise.all(editing);
  for (const { ground, ledger } of played) await checkEqual(harness, ground, ledger, patienceMs);
  watching.abort();
  for (const { ledger, controller } of played) {
    await controller.finished;
    checkSyncs(harness, ledger, controller);
    checkDeletions(harness, ledger, controller);
  }
  return { faults: faults.length, counts, broken };
}

function toPlace(played: {
  readonly ground: Ground;
  readonly ledger: Ledger;
  readonly controller: Controller;
}): FaultedPlace {
  const { ground } = played;
  const { cluster } = ground.clusterSide;
  if (!("apiServer" in cluster)) return ground;
  return { ...ground, apiServer: cluster.apiServer, goBack: (ms) => goBack({ ...played, cluster, ms }) };
}

async function prepareGround(options: {
  readonly hub: Harness["hub"];
  readonly center: ClusterAccess;
  readonly cluster: ClusterAccess | TestCluster;
  readonly name: string;
  readonly isClockStepped: boolean;
  readonly undo: AsyncDisposableStack;
}): Promise<Ground> {
  const { hub, center, cluster, name, isClockStepped, undo } = options;
  const argoNamespace = `argo-${name}`;
  await makeNamespace(center, name, undo);
  await makeNamespace(cluster, argoNamespace, undo);
  const clock = isClockStepped ? await openClock(undo) : undefined;
  const joined = undo.use(
    await joinCluster({
      hub,
      name,
      kubeconfig: cluster.adminKubeconfig,
      roles: ["gitops"],
      agentArgs: ["--argo-namespace", argoNamespace],
      ...(clock && { agentEnv: clock.env }),
    }),
  );
  // With so few applications, ordinary deletions of a minute would wait for a confirmation.
  await hub.cli(["cluster", "set", name, "--gitops-mode", "managed", "--gitops-guard-percent", "100"]);
  return {
    joined,
    clock,
    hubSide: { cluster: center, namespace: name },
    clusterSide: { cluster, namespace: argoNamespace },
  };
}

async function openClock(undo: AsyncDisposableStack): Promise<SteppedClock> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-storm-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  return await makeSteppedClock(folder);
}

async function makeNamespace({ api }: ClusterAccess, name: string, undo: AsyncDisposableStack): Promise<void> {
  await api.json({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
  undo.defer(async () => void (await api.send({ method: "DELETE", path: `/api/v1/namespaces/${name}` })));
}

/** After the last fault: a hub that was killed looks at its clusters again, and what was refused is sent again. */
const patienceMs = 120_000;
