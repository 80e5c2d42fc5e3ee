// Small requests, bulk, and small requests beside bulk, over each way in turn, several rounds. Interleaved, because
// the machine's speed drifts; medians of the rounds are compared.
import { runBulk, runLoad } from "../harness/load.ts";
import { measureWay, mebibyte } from "../harness/measure-way.ts";
import { readResidentBytes, watchResidentBytes } from "../harness/memory.ts";
import { describeRequestCpu, measureRequestCpu } from "../harness/request-cpu.ts";
import { Samples } from "../harness/samples.ts";
import type { Row } from "../harness/table.ts";
import { atLeast, atMost, ratioOf } from "../harness/targets.ts";
import type { LinkStage } from "./stage.ts";

const warmUpMs = 20_000;

export async function measureThroughput(options: {
  stage: LinkStage;
  rounds: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, rounds, say } = options;
  const routes = [stage.direct, stage.proxy, stage.fairlead];
  const samples = new Samples();
  say("warming up");
  // A hub that has just started answers at half of its later speed, until its code is compiled.
  for (const route of routes) {
    await runLoad({ route, path: stage.smallPath, concurrency: 64, durationMs: warmUpMs, warmUpMs: 0 });
  }
  for (let round = 1; round <= rounds; round++) {
    for (const route of routes) {
      say(`round ${round} of ${rounds}: ${route.name}`);
      await measureWay({ route, paths: stage, samples });
    }
    say(`round ${round} of ${rounds}: CPU time of small requests`);
    await measureRequestCpu({ routes: stage.staffed, path: stage.smallPath, samples });
  }
  const names = routes.map(({ name }) => name);
  const of = (metric: string) => samples.medians(metric, names);
  const rate = of("rate64");
  const down = of("down");
  const up = of("up");
  const single = of("p50");
  const busy = of("busyP50");
  const ratio = (figures: Record<string, number>) => ratioOf(figures, "fairlead", "proxy");
  const addedMs = (single["fairlead"] ?? 0) - (single["proxy"] ?? 0);
  return [
    {
      name: "1 KiB GET, 1 at a time, p50",
      unit: "ms",
      figures: single,
      targets: [atMost(addedMs, 0.6, "ms over proxy")],
    },
    { name: "1 KiB GET, 1 at a time, p99", unit: "ms", figures: of("p99") },
    {
      name: "1 KiB GET, 64 at a time",
      unit: "req/s",
      figures: rate,
      targets: [atLeast(ratio(rate), 0.65, "of proxy")],
    },
    { name: "1 KiB GET, 64 at a time, p99", unit: "ms", figures: of("p99at64") },
    ...describeRequestCpu({ routes: stage.staffed, samples }),
    { name: "256 MiB down", unit: "MB/s", figures: down, targets: [atLeast(ratio(down), 0.65, "of proxy")] },
    { name: "256 MiB up", unit: "MB/s", figures: up, targets: [atLeast(ratio(up), 0.65, "of proxy")] },
    { name: "1 KiB GET beside a bulk body, p50", unit: "ms", figures: busy },
  ];
}

/** How much the hub's resident memory rises while 1 GiB goes through it. */
export async function measureHubMemory({ stage }: { stage: LinkStage }): Promise<Row[]> {
  const sizeBytes = 1024 * mebibyte;
  const route = stage.fairlead;
  // The first transfer pays for the heap that any traffic needs; what counts is what the size of a transfer adds.
  await runBulk({
    route,
    path: `${stage.bulkPath}/down?bytes=${64 * mebibyte}`,
    direction: "down",
    sizeBytes: 64 * mebibyte,
  });
  const { pid } = stage.hub.process;
  const before = readResidentBytes(pid);
  const watch = watchResidentBytes(pid);
  await runBulk({ route, path: `${stage.bulkPath}/down?bytes=${sizeBytes}`, direction: "down", sizeBytes });
  const grownMiB = (watch.stop() - before) / mebibyte;
  return [
    {
      name: "hub memory grown during 1 GiB down",
      unit: "MiB",
      figures: { fairlead: grownMiB },
      targets: [atMost(grownMiB, 64, "MiB")],
    },
  ];
}
