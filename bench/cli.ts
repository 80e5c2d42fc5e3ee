// Measures the start of `fairlead` beside kubectl's, and Helm's installs through the hub, for which Helm starts the
// credential plugin.
import { measureHelm } from "./cli/helm.ts";
import { setCliStage } from "./cli/stage.ts";
import { measureStarts } from "./cli/starts.ts";
import { formatTable, type Row } from "./harness/table.ts";

export async function runCliBench({ json, quick }: { json: boolean; quick: boolean }): Promise<void> {
  const startedAt = performance.now();
  const say = (text: string) =>
    process.stderr.write(`${Math.round((performance.now() - startedAt) / 1000)} s: ${text}\n`);
  say("building, and starting an API server, a hub and an agent");
  await using stage = await setCliStage();
  const rows: Row[] = await measureStarts({ stage, rounds: quick ? 5 : 40, say });
  rows.push(...(await measureHelm({ stage, rounds: quick ? 1 : 5, say })));
  say("done");
  if (json) return console.log(JSON.stringify({ bench: "cli", rows }, undefined, 2));
  console.log(formatTable(["kubectl", "helm, direct", "fairlead", "ratio"], rows));
}
