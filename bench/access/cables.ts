// A stream over a long cable, and small requests beside a body that fills a narrow one.
import { measureDownload } from "../harness/load.ts";
import { besideBulk, mebibyte } from "../harness/measure-way.ts";
import { countRounds, type Rounds } from "../harness/rounds.ts";
import { Samples } from "../harness/samples.ts";
import { median } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atLeast, atMost } from "../harness/targets.ts";
import { measureBareLink } from "./bare-link.ts";
import type { AccessStage } from "./stage.ts";

export async function measureCables(options: {
  stage: AccessStage;
  rounds: Rounds;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, rounds, say } = options;
  const samples = new Samples();
  const sizeBytes = 512 * mebibyte;
  for (const round of countRounds(rounds)) {
    say(`round ${round} of ${rounds.most}: 50 ms there and back; 100 Mbit/s with 20 ms`);
    for (const route of stage.far) {
      const path = `${stage.bulkPath}/down?bytes=${sizeBytes}`;
      samples.add("far", route.name, (await measureDownload({ route, path, limitMs: 6000 })) / 1e6);
    }
    for (const route of stage.narrow) {
      const beside = { route, path: stage.smallPath, bulkPath: stage.bulkPath, durationMs: 4000 };
      const { p50Ms, p99Ms } = await besideBulk(beside);
      samples.add("narrowP50", route.name, p50Ms);
      samples.add("narrowP99", route.name, p99Ms);
    }
  }
  const bare = median(await measureBareLink({ rttMs: 50, rounds: rounds.most })) / 1e6;
  const names = stage.far.map(({ name }) => name);
  const far = samples.medians("far", names);
  const narrow = samples.medians("narrowP99", names);
  return [
    {
      name: "512 MiB down at 50 ms there and back, one stream",
      unit: "MB/s",
      figures: far,
      targets: [atLeast(far["fairlead"] ?? 0, 200, "MB/s")],
    },
    {
      name: "512 MiB over the link alone, at 50 ms there and back",
      unit: "MB/s",
      figures: { fairlead: bare },
      targets: [atLeast(bare, 200, "MB/s")],
    },
    {
      name: "1 KiB GET beside a body that fills 100 Mbit/s, 20 ms there and back, p50",
      unit: "ms",
      figures: samples.medians("narrowP50", names),
    },
    {
      name: "1 KiB GET beside a body that fills 100 Mbit/s, 20 ms there and back, p99",
      unit: "ms",
      figures: narrow,
      targets: [atMost(narrow["fairlead"] ?? 0, 60, "ms")],
    },
  ];
}
