// Puts a cluster back to a backup of its etcd, under a controller that lives through some of its life once more.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { backUpEtcd, restoreEtcd, type TestCluster } from "@fairlead/testkit";
import type { Controller } from "./controllers.ts";
import type { Ledger } from "./editors.ts";
import { type Ground, listAll, numberOf } from "./harness.ts";

export async function goBack(options: {
  readonly cluster: TestCluster;
  readonly ground: Ground;
  readonly ledger: Ledger;
  readonly controller: Controller;
  readonly ms: number;
}): Promise<void> {
  const { cluster, ground, ledger, controller, ms } = options;
  ledger.isGoingBack = true;
  await doubtPending(ground, ledger);
  const backup = join(cluster.stateDir, "storm-backup");
  await backUpEtcd(cluster, backup);
  await delay(ms);
  await controller.whileGoingBack(() => restoreEtcd(cluster, backup));
  ledger.timesBack++;
  ledger.isGoingBack = false;
}

/** What the hub hasn't seen end may be in the backup, waiting to be run, or may be lost with what came after it. */
async function doubtPending({ hubSide }: Ground, { syncs, doubted }: Ledger): Promise<void> {
  for (const { metadata, operation, status } of await listAll(hubSide)) {
    const asked = syncs.get(metadata.name) ?? [];
    const ended = operation === undefined ? numberOf(status?.operationState?.operation) : undefined;
    const pending = asked.slice(ended === undefined ? 0 : asked.indexOf(ended) + 1);
    for (const number of pending) doubted.add(number);
  }
}
