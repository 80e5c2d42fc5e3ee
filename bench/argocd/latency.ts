import { percentile } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import type { Direction, Offered } from "../peers/application-player.ts";
import type { ArgoStage } from "./stage.ts";
import { lossOf, names } from "./throughput.ts";

/** From before a write is sent until a watch on the other side has it, at a steady rate. */
export async function measureLatency(options: {
  stage: ArgoStage;
  direction: Direction;
  perSecond: number;
  mostMs: number;
  seconds: number;
}): Promise<Row> {
  const { stage, direction, perSecond, mostMs, seconds } = options;
  const came = await stage.player.ask<Offered>("offer", { direction, perSecond, seconds });
  const p99Ms = percentile(came.latenciesMs, 99);
  return {
    name: `${names[direction]} at ${perSecond} a second: until they are there`,
    unit: "ms",
    figures: { p50: percentile(came.latenciesMs, 50), p99: p99Ms },
    targets: [atMost(p99Ms, mostMs, "ms"), lossOf(came)],
  };
}
