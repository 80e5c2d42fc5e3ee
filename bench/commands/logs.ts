import { runProgram } from "../harness/run-program.ts";
import type { Row } from "../harness/table.ts";
import { atLeast } from "../harness/targets.ts";

/** Masking alone beside a plain copy; and a run's whole log, to the disk from which it is sent, beside masking alone. */
export async function measureLogs({ megabytes }: { megabytes: number }): Promise<Row[]> {
  const rows: Row[] = [];
  for (const needles of [100, 1_000]) {
    const { copy, masked, logged } = await runProgram<{ copy: number; masked: number; logged: number }>(
      "packages/agent/src/redact/throughput.fixture.ts",
      { needles, megabytes },
    );
    rows.push({
      name: `output in which ${needles} spellings of secrets are searched for`,
      unit: "MB/s",
      figures: { copy, masked, fairlead: logged },
      targets: [
        ...(needles === 100 ? [atLeast(logged / masked, 0.8, "of masking alone")] : [atLeast(masked, 40, "MB/s")]),
      ],
    });
  }
  return rows;
}

/** More than a log may have, as a program says it: from its pipe to a hub that takes everything, by a small part of the disk. */
export async function measureHugeLog({ megabytes }: { megabytes: number }): Promise<Row[]> {
  const { startedMib, mostMib, logBytes, saidSeconds } = await runProgram<HugeLog>(
    "packages/agent/src/execute/log/huge-log.fixture.ts",
    { megabytes, spoolMegabytes: 64, limitMegabytes: 1024 },
  );
  const name = `a program that says ${megabytes} MB, its log to the hub`;
  return [
    { name, unit: "MB/s", figures: { fairlead: logBytes / 1e6 / saidSeconds } },
    { name: "memory that it takes", unit: "MiB", figures: { fairlead: mostMib - startedMib } },
  ];
}

interface HugeLog {
  readonly startedMib: number;
  readonly mostMib: number;
  readonly logBytes: number;
  readonly saidSeconds: number;
}
