// A hub, clusters with an agent each, and clients that ask for commands of all kinds, while one fault comes after another.
// Each command ends in one outcome with a whole log, what is there is what the outcomes say, and nothing is left over.
import { randomUUID } from "node:crypto";
import { type ClusterAccess, startHub, type TestCluster } from "@fairlead/testkit";
import { createChance } from "../fleet/chance.ts";
import { type FaultKind, keepFailing } from "../fleet/keep-failing.ts";
import { watchArguments } from "./canary.ts";
import { checkCommands, checkLeftovers, checkSecrecy } from "./check.ts";
import { checkLogs } from "./check-logs.ts";
import { keepAsking, type Line } from "./clients.ts";
import { deedKinds } from "./deeds/index.ts";
import type { Ground, Harness } from "./harness.ts";
import { prepareGround } from "./prepare-ground.ts";

export interface CommandStormReport {
  readonly faults: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly broken: readonly string[];
}

export async function runCommandStorm(options: {
  readonly seconds: number;
  /** API servers are restarted only of those that are the storm's own. */
  readonly clusters: readonly (ClusterAccess | TestCluster)[];
  /** The number of targets of each kind in each cluster. */
  readonly targets: number;
  readonly pauseMs: readonly [number, number];
  readonly faults: readonly FaultKind[];
  readonly calmSeconds: readonly [number, number];
  readonly seed: number;
  readonly onProgress?: (line: string) => void;
}): Promise<CommandStormReport> {
  const { seconds, clusters, targets, pauseMs, seed, onProgress = () => undefined } = options;
  await using undo = new AsyncDisposableStack();
  onProgress("starting the hub");
  const hub = undo.use(await startHub());
  const canary = `canary "${randomUUID()}" & more`;
  const grounds: Ground[] = [];
  for (const [index, cluster] of clusters.entries())
    grounds.push(
      await prepareGround({ hub, cluster, name: `storm-${index + 1}`, canary, faults: options.faults, undo }),
    );
  const counts: Record<string, number> = {};
  const broken: string[] = [];
  const stop = new AbortController();
  const harness: Harness = {
    hub,
    grounds,
    canary,
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
  const lines: readonly Line[] = grounds.flatMap((ground) =>
    deedKinds.flatMap((kind) =>
      Array.from({ length: targets }, (_, index) => ({ ground, kind, target: `${kind.kind}-${index}`, asked: [] })),
    ),
  );
  const looking = new AbortController();
  const watching = watchArguments(harness, looking.signal);
  const clients = lines.map((line) => keepAsking(harness, line, pauseMs));
  const timer = setTimeout(() => stop.abort(), seconds * 1000);
  // Chances of its own: clients draw theirs whenever they get to it.
  const faults = await keepFailing({
    faulted: { hub, places: grounds, chance: createChance(seed), over: stop.signal },
    kinds: options.faults,
    calmSeconds: options.calmSeconds,
    onProgress,
  }).finally(() => {
    clearTimeout(timer);
    stop.abort();
  });
  onProgress("the storm is over");
  await Promise.all(clients);
  await checkCommands({ harness, lines, faults, patienceMs });
  looking.abort();
  await watching;
  onProgress("reading logs");
  await checkLogs({ harness, lines, patienceMs });
  onProgress("looking for what is left");
  await checkLeftovers(harness, deedKinds);
  await checkSecrecy(harness, lines);
  return { faults: faults.length, counts, broken };
}

/** For all commands that are left: a killed agent's leases end by themselves. */
const patienceMs = 240_000;
