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
