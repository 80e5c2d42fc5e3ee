// Three hundred clients that stopped reading, and what everybody else notices of them. The bodies are so large that they
// don't fit into the sockets' buffers between hub and client, and so small that all the buffers of the 300 together stay
// below what the kernel grants to TCP: beyond it every connection of the machine slows down, the direct ones too.
import { setTimeout as delay } from "node:timers/promises";
import { openStalled, runLoad } from "../harness/load.ts";
import { mebibyte } from "../harness/measure-way.ts";
import { readMetric } from "../harness/metrics.ts";
import { countRounds, type Rounds } from "../harness/rounds.ts";
import { median } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import type { AccessStage } from "./stage.ts";

const count = 300;
const bodyBytes = 5 * mebibyte;
const chunk = 25;
const settleMs = 5000;

export async function measureStalled(options: {
  stage: AccessStage;
  rounds: Rounds;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, rounds, say } = options;
  const route = stage.viaHub;
  const alone: number[] = [];
  const beside: number[] = [];
  const held: number[] = [];
  const measure = async () =>
    (await runLoad({ route, path: stage.smallPath, concurrency: 4, durationMs: 4000, warmUpMs: 500 })).p99Ms;
  for (const round of countRounds(rounds)) {
    say(`round ${round} of ${rounds.most}: small requests without and with ${count} stalled downloads`);
    alone.push(await measure());
    await using stalled = new AsyncDisposableStack();
    for (let opened = 0; opened < count; opened += chunk) {
      const path = `${stage.bulkPath}/down?bytes=${bodyBytes}`;
      const some = await Promise.all(Array.from({ length: chunk }, () => openStalled(route, path)));
      for (const download of some) stalled.use(download);
    }
    // Until all the buffers on the way are full.
    await delay(settleMs);
    held.push(await readMetric(stage.hub, "fairlead_link_streams"));
    beside.push(await measure());
  }
  const ratio = median(beside) / median(alone);
  return [
    { name: "1 KiB GET, 4 at a time, p99", unit: "ms", figures: { fairlead: median(alone) } },
    {
      name: `the same beside ${median(held)} stalled downloads`,
      unit: "ms",
      figures: { fairlead: median(beside) },
      targets: [atMost(ratio, 1.1, "of the figure above")],
    },
  ];
}
