import { setTimeout as delay } from "node:timers/promises";
import { median, percentile } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import type { CommandStage } from "./stage.ts";

/** From the hub's taking of a command to the agent's beginning of it, while there is nothing else to do. */
export async function measureStarts({ stage, count }: { stage: CommandStage; count: number }): Promise<Row[]> {
  const startsMs: number[] = [];
  const wholesMs: number[] = [];
  for (let turn = 0; turn < count; turn++) {
    const id = await stage.submit({ set: "starts", namespace: stage.namespace, manifests: "", allowEmpty: true });
    const { history } = await stage.finish(id);
    const at = (state: string): number => Date.parse(history.find(({ to }) => to === state)?.at ?? "");
    startsMs.push(at("running") - at("queued"));
    wholesMs.push(at("succeeded") - at("queued"));
    await delay(100);
  }
  return [
    {
      name: "from the request to the agent's beginning, p50",
      unit: "ms",
      figures: { fairlead: median(startsMs) },
      targets: [atMost(median(startsMs), 50, "ms")],
    },
    { name: "the same, p99", unit: "ms", figures: { fairlead: percentile(startsMs, 99) } },
    { name: "from the request to the end, p50", unit: "ms", figures: { fairlead: median(wholesMs) } },
  ];
}
