import { setTimeout as delay } from "node:timers/promises";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import type { ArgoStage } from "./stage.ts";

const patienceMs = 60_000;

/**
 * The hub is killed, so many applications are changed on its cluster, and it is started again. Counts from the agent's new
 * call about applications until both sides are equal.
 */
export async function measureReconcile(options: {
  stage: ArgoStage;
  changes: number;
  of: number;
  mostSeconds?: number;
}): Promise<Row> {
  const { stage, changes, of, mostSeconds } = options;
  const before = await stage.syncedSince();
  await stage.hub.stop("KILL");
  await stage.player.ask("change", { changes });
  await stage.hub.start();
  const equalAt = await stage.player.ask<number>("untilEqual");
  const deadline = performance.now() + patienceMs;
  while ((await stage.syncedSince()) === before) {
    if (performance.now() > deadline) throw new Error("the agent began no call about applications");
    await delay(50);
  }
  const seconds = (equalAt - (await stage.syncedSince())) / 1000;
  return {
    name: `${of} applications reconciled after a restart of the hub, ${changes} of them changed`,
    unit: "s",
    figures: { fairlead: seconds },
    ...(mostSeconds !== undefined && { targets: [atMost(seconds, mostSeconds, "s")] }),
  };
}
