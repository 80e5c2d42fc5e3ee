// Commands: what masking the secrets in their output costs, beside a plain copy of it.
import { runProgram } from "./harness/run-program.ts";
import { formatTable, type Row } from "./harness/table.ts";
import { atLeast } from "./harness/targets.ts";

export async function runCommandsBench({ json, quick }: { json: boolean; quick: boolean }): Promise<void> {
  const rows: Row[] = [];
  for (const needles of [30, 1_000]) rows.push(await measureMasking(needles, quick ? 20 : 200));
  if (json) return console.log(JSON.stringify({ bench: "commands", rows }, undefined, 2));
  console.log(formatTable(["copy", "fairlead"], rows));
}

async function measureMasking(needles: number, megabytes: number): Promise<Row> {
  const program = "packages/agent/src/redact/throughput.fixture.ts";
  const { copy, masked } = await runProgram<{ copy: number; masked: number }>(program, { needles, megabytes });
  return {
    name: `output in which ${needles} spellings of secrets are searched for`,
    unit: "MB/s",
    figures: { copy, fairlead: masked },
    targets: [atLeast(masked, 40, "MB/s"), atLeast(masked / copy, 1 / 100, "of a copy")],
  };
}
