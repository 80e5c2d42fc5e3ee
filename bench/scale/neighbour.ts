import { runLoad } from "../harness/load.ts";
import { measureSmall, measureWay } from "../harness/measure-way.ts";
import { Samples } from "../harness/samples.ts";
import type { Row, Target } from "../harness/table.ts";
import { atLeast, atMost, ratioOf } from "../harness/targets.ts";
import type { ScaleStage } from "./stage.ts";

/** The ways in turn, several rounds; medians of the rounds, and what the neighbour has of the own hub's. */
export async function measureNeighbour(options: {
  stage: ScaleStage;
  rounds: number;
  warmUpMs: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, rounds, warmUpMs, say } = options;
  const { routes, proxy, paths } = stage;
  const samples = new Samples();
  say("warming up");
  // A hub that has just started answers at half of its later speed, until its code is compiled.
  for (const route of [...routes, proxy]) {
    await runLoad({ route, path: paths.smallPath, concurrency: 64, durationMs: warmUpMs, warmUpMs: 0 });
  }
  for (let round = 1; round <= rounds; round++) {
    for (const route of routes) {
      say(`round ${round} of ${rounds}: ${route.name}`);
      await measureWay({ route, paths, samples });
    }
    say(`round ${round} of ${rounds}: a plain proxy before the own hub`);
    await measureSmall({ route: proxy, path: paths.smallPath, samples });
  }
  const names = [...routes, proxy].map(({ name }) => name);
  return measured.map(({ name, metric, unit }) => {
    const figures = samples.medians(metric, names);
    const ratio = ratioOf(figures, "neighbour", "own hub");
    return { name, unit, figures: { ...figures, ratio }, targets: judge(metric, figures, ratio) };
  });
}

function judge(metric: string, figures: Readonly<Record<string, number>>, ratio: number): readonly Target[] {
  switch (metric) {
    case "p50":
      return [atMost((figures["neighbour"] ?? 0) - (figures["own hub"] ?? 0), 0.7, "ms over the own hub")];
    case "rate64":
    case "down":
    case "up":
      return [atLeast(ratio, 0.7, "of the own hub")];
    default:
      return [];
  }
}

const measured = [
  { name: "1 KiB GET, 1 at a time, p50", metric: "p50", unit: "ms" },
  { name: "1 KiB GET, 1 at a time, p99", metric: "p99", unit: "ms" },
  { name: "1 KiB GET, 64 at a time", metric: "rate64", unit: "req/s" },
  { name: "1 KiB GET, 64 at a time, p99", metric: "p99at64", unit: "ms" },
  { name: "256 MiB down", metric: "down", unit: "MB/s" },
  { name: "256 MiB up", metric: "up", unit: "MB/s" },
  { name: "1 KiB GET beside a bulk body, p50", metric: "busyP50", unit: "ms" },
  { name: "1 KiB GET beside a stalled reader, p99", metric: "stalledP99", unit: "ms" },
] as const;
