// Checks after the storm: both sides are as they were left, each sync was run once, and deletions took along what they were
// to take.
import { setTimeout as delay } from "node:timers/promises";
import type { Controller } from "./controllers.ts";
import type { Ledger } from "./editors.ts";
import { type Ground, type Harness, listAll, type StormApplication } from "./harness.ts";

/** Until nothing differs any more; what still does then is broken. */
export async function checkEqual(harness: Harness, ground: Ground, ledger: Ledger, patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const differences = await findDifferences(ground, ledger);
    if (differences.length === 0) return;
    if (performance.now() > deadline) {
      for (const difference of differences.slice(0, 20)) harness.breaks(`${ground.joined.name}: ${difference}`);
      return;
    }
    await delay(500);
  }
}

export function checkSyncs(harness: Harness, ledger: Ledger, controller: Controller): void {
  for (const [name, numbers] of ledger.syncs) {
    for (const number of new Set(numbers)) {
      const runs = controller.runs.get(number) ?? 0;
      const asked = numbers.filter((each) => each === number).length;
      const isDoubted = ledger.doubted.has(number) && runs <= asked * (1 + ledger.timesBack);
      if (isDoubted) harness.count(`doubted syncs, asked for ${asked} times, run ${runs} times`);
      else if (runs !== asked)
        harness.breaks(`sync ${number} of ${name} was asked for ${asked} times and run ${runs} times`);
    }
  }
}

export function checkDeletions(harness: Harness, { cascades }: Ledger, { seen, pruned }: Controller): void {
  for (const [name, isCascading] of cascades) {
    const isPruned = pruned.has(name);
    // One that was deleted before it came to the cluster had nothing there.
    if (isCascading && !isPruned && seen.has(name)) harness.breaks(`what ${name} deployed was left behind`);
    if (!isCascading && isPruned) harness.breaks(`what ${name} deployed was pruned, and was to stay`);
  }
}

async function findDifferences(
  { hubSide, clusterSide }: Ground,
  { marks: edited, setMarks }: Ledger,
): Promise<readonly string[]> {
  const marks = new Map([...edited, ...setMarks]);
  const [ofHub, copies] = await Promise.all([listByName(hubSide), listByName(clusterSide)]);
  const names = new Set([...marks.keys(), ...ofHub.keys(), ...copies.keys()]);
  return [...names].flatMap((name) => {
    const [mark, hubs, copy] = [marks.get(name), ofHub.get(name), copies.get(name)];
    const isThere = [mark, hubs, copy].map((one) => one !== undefined);
    if (new Set(isThere).size > 1) return [`${name} is wanted, on the hub, in the cluster: ${isThere.join(", ")}`];
    if (hubs === undefined || copy === undefined) return [];
    const seen = [String(mark), hubs.spec.source.targetRevision, copy.spec.source.targetRevision];
    const statuses = [hubs, copy].map(({ status }) => status?.sync?.revision);
    const operations = [hubs, copy].map(({ operation }) => operation);
    return [
      ...(new Set(seen).size > 1 ? [`${name} is wanted, on the hub, in the cluster at ${seen.join(", ")}`] : []),
      ...(new Set(statuses).size > 1
        ? [`${name} has the status ${statuses.join(" on the hub, in the cluster ")}`]
        : []),
      ...(operations.some((one) => one !== undefined) ? [`${name} has an operation that nobody runs`] : []),
    ];
  });
}

async function listByName(place: Ground["hubSide"]): Promise<ReadonlyMap<string, StormApplication>> {
  return new Map((await listAll(place)).map((application) => [application.metadata.name, application]));
}
