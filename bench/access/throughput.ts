// The same requests over every way in turn, several rounds. Interleaved, because the machine's speed drifts; medians of
// the rounds are compared.
import { measureWay } from "../harness/measure-way.ts";
import { describeRequestCpu, measureRequestCpu } from "../harness/request-cpu.ts";
import { countRounds, type Rounds } from "../harness/rounds.ts";
import { Samples } from "../harness/samples.ts";
import type { Row, Target } from "../harness/table.ts";
import { atLeast, atMost, ratioOf } from "../harness/targets.ts";
import type { AccessStage } from "./stage.ts";

export async function measureWays(options: {
  stage: AccessStage;
  rounds: Rounds;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, rounds, say } = options;
  const samples = new Samples();
  for (const round of countRounds(rounds)) {
    say(`round ${round} of ${rounds.most}: ${stage.ways.map(({ name }) => name).join(", ")}`);
    for (const route of stage.ways) await measureWay({ route, paths: stage, samples });
    await measureRequestCpu({ routes: stage.staffed, path: stage.smallPath, samples });
  }
  const names = stage.ways.map(({ name }) => name);
  const row = (name: string, unit: string, metric: string, judge: (figures: Figures) => readonly Target[]): Row => {
    const figures = samples.medians(metric, names);
    return { name, unit, figures, targets: judge(figures) };
  };
  const addedMs = (figures: Figures) => (figures["fairlead"] ?? 0) - (figures["proxy"] ?? 0);
  return [
    row("1 KiB GET, 1 at a time, p50", "ms", "p50", (figures) => [atMost(addedMs(figures), 0.5, "ms over proxy")]),
    row("1 KiB GET, 1 at a time, p99", "ms", "p99", () => []),
    row("1 KiB GET, 64 at a time", "req/s", "rate64", (figures) =>
      compare(figures, { proxy: 0.65, remotedialer: 1, openssh: 0.9 }),
    ),
    row("1 KiB GET, 64 at a time, p99", "ms", "p99at64", () => []),
    ...describeRequestCpu({ routes: stage.staffed, samples }),
    row("256 MiB down", "MB/s", "down", (figures) => compare(figures, bulkTargets)),
    row("256 MiB up", "MB/s", "up", (figures) => compare(figures, bulkTargets)),
    row("1 KiB GET beside a bulk body, p50", "ms", "busyP50", () => []),
    row("1 KiB GET beside a bulk body, p99", "ms", "busyP99", beatBothTunnels),
    row("1 KiB GET beside a stalled reader, p99", "ms", "stalledP99", beatBothTunnels),
  ];
}

type Figures = Readonly<Record<string, number>>;

const bulkTargets = { proxy: 0.8, remotedialer: 0.7, openssh: 0.7 };

/** At least so much of each peer that was measured. */
function compare(figures: Figures, bounds: Readonly<Record<string, number>>): Target[] {
  return Object.entries(bounds)
    .filter(([peer]) => peer in figures)
    .map(([peer, bound]) => atLeast(ratioOf(figures, "fairlead", peer), bound, `of ${peer}`));
}

function beatBothTunnels(figures: Figures): Target[] {
  return ["remotedialer", "openssh"]
    .filter((peer) => peer in figures)
    .map((peer) => atMost(ratioOf(figures, "fairlead", peer), 1, `of ${peer}`));
}
