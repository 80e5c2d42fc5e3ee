// Small requests, bulk, and small requests beside bulk, over each way in turn, several rounds. Interleaved, because
// the machine's speed drifts; medians of the rounds are compared.
import { type LoadResult, type Route, runBulk, runLoad } from "../harness/load.ts";
import { readResidentBytes, watchResidentBytes } from "../harness/memory.ts";
import { Samples } from "../harness/samples.ts";
import type { Row } from "../harness/table.ts";
import { atLeast, atMost, ratioOf } from "../harness/targets.ts";
import type { LinkStage } from "./stage.ts";

const mebibyte = 2 ** 20;

export async function measureThroughput(options: {
  stage: LinkStage;
  rounds: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, rounds, say } = options;
  const routes = [stage.direct, stage.proxy, stage.fairlead];
  const samples = new Samples();
  for (let round = 1; round <= rounds; round++) {
    for (const route of routes) {
      say(`round ${round} of ${rounds}: ${route.name}`);
      await measureRoute({ route, stage, samples });
    }
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
    { name: "256 MiB down", unit: "MB/s", figures: down, targets: [atLeast(ratio(down), 0.65, "of proxy")] },
    { name: "256 MiB up", unit: "MB/s", figures: up, targets: [atLeast(ratio(up), 0.65, "of proxy")] },
    { name: "1 KiB GET beside a bulk body, p50", unit: "ms", figures: busy },
  ];
}

async function measureRoute(options: { route: Route; stage: LinkStage; samples: Samples }): Promise<void> {
  const { route, stage, samples } = options;
  const { smallPath: path, bulkPath } = stage;
  const sizeBytes = 256 * mebibyte;
  const one = check(route, await runLoad({ route, path, concurrency: 1, durationMs: 2000, warmUpMs: 300 }));
  const many = check(route, await runLoad({ route, path, concurrency: 64, durationMs: 3000, warmUpMs: 500 }));
  samples.add("p50", route.name, one.p50Ms);
  samples.add("p99", route.name, one.p99Ms);
  samples.add("rate64", route.name, many.requestsPerSecond);
  samples.add("p99at64", route.name, many.p99Ms);
  const download = { route, path: `${bulkPath}/down?bytes=${sizeBytes}`, direction: "down", sizeBytes } as const;
  samples.add("down", route.name, (await runBulk(download)) / 1e6);
  samples.add("up", route.name, (await runBulk({ route, path: `${bulkPath}/up`, direction: "up", sizeBytes })) / 1e6);

  const stop = new AbortController();
  const beside = repeatBulk(download, stop.signal);
  const busy = check(route, await runLoad({ route, path, concurrency: 1, durationMs: 1500, warmUpMs: 200 }));
  stop.abort();
  await beside;
  samples.add("busyP50", route.name, busy.p50Ms);
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

/** A figure made of failed requests would be a lie. */
function check(route: Route, result: LoadResult): LoadResult {
  if (result.errors > 0) throw new Error(`${route.name}: ${result.errors} requests failed while measuring`);
  return result;
}

async function repeatBulk(download: Parameters<typeof runBulk>[0], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await runBulk({ ...download, signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
