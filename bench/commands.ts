// Commands: how soon they begin, how many an agent gets through, and what they cost beside the bare tools.
import { measureHelm } from "./commands/helm.ts";
import { measureHistory } from "./commands/history.ts";
import { measureLogs } from "./commands/logs.ts";
import { measureManifests } from "./commands/manifests.ts";
import { setCommandStage } from "./commands/stage.ts";
import { measureStarts } from "./commands/starts.ts";
import { measureThroughput } from "./commands/throughput.ts";
import { readResidentBytes } from "./harness/memory.ts";
import { formatTable, type Row } from "./harness/table.ts";
import { atMost } from "./harness/targets.ts";

const columns = ["copy", "masked", "object writes", "bare tool", "fairlead", "ratio", "p50"];

export async function runCommandsBench({ json, quick }: { json: boolean; quick: boolean }): Promise<void> {
  const startedAt = performance.now();
  const say = (text: string) =>
    process.stderr.write(`${Math.round((performance.now() - startedAt) / 1000)} s: ${text}\n`);
  say("masking");
  const rows: Row[] = await measureLogs({ megabytes: quick ? 20 : 200 });
  say("starting a cluster, a hub and an agent");
  await using stage = await setCommandStage();
  say("beginnings");
  rows.push(...(await measureStarts({ stage, count: quick ? 10 : 60 })));
  say("manifests beside kubectl");
  rows.push(...(await measureManifests({ stage, rounds: quick ? 1 : 5 })));
  say("a release beside helm");
  rows.push(...(await measureHelm({ stage, rounds: quick ? 2 : 6 })));
  say("commands that change nothing");
  rows.push(...(await measureThroughput({ stage, count: quick ? 100 : 500, seconds: quick ? 3 : 8 })));
  rows.push(measureMemory(stage.joined.agent.process.pid ?? 0));
  say("a long history");
  rows.push(...(await measureHistory({ stage, runs: quick ? 10_000 : 100_000, times: quick ? 30 : 200 })));
  say("done");
  if (json) return console.log(JSON.stringify({ bench: "commands", rows }, undefined, 2));
  console.log(formatTable(columns, rows));
}

/** After all that it did. */
function measureMemory(agentPid: number): Row {
  const mebibytes = readResidentBytes(agentPid) / 1024 / 1024;
  return {
    name: "the agent's resident memory",
    unit: "MiB",
    figures: { fairlead: mebibytes },
    targets: [atMost(mebibytes, 120, "MiB")],
  };
}
