// Commands: how soon they begin, how many an agent gets through, and what they cost beside the bare tools.
import { measureFence } from "./commands/fence.ts";
import { measureFirstLine } from "./commands/first-line.ts";
import { measureHelm } from "./commands/helm.ts";
import { measureHistory } from "./commands/history.ts";
import { measureHugeLog, measureLogs } from "./commands/logs.ts";
import { measureManifests } from "./commands/manifests.ts";
import { type CommandStage, setCommandStage } from "./commands/stage.ts";
import { measureStarts } from "./commands/starts.ts";
import { measureThroughput } from "./commands/throughput.ts";
import { readResidentBytes } from "./harness/memory.ts";
import { formatTable, type Row } from "./harness/table.ts";
import { atMost } from "./harness/targets.ts";

const columns = ["copy", "masked", "object writes", "bare tool", "fairlead", "ratio", "p50"];

export interface CommandsOptions {
  readonly json: boolean;
  readonly quick: boolean;
  /** All unless named. */
  readonly part?: string | undefined;
}

export async function runCommandsBench({ json, quick, part }: CommandsOptions): Promise<void> {
  const startedAt = performance.now();
  const say = (text: string) =>
    process.stderr.write(`${Math.round((performance.now() - startedAt) / 1000)} s: ${text}\n`);
  const names = ["logs", "fence", ...Object.keys(stagedParts)];
  const isWanted = (name: string) => part === undefined || name === part;
  if (!names.some(isWanted)) throw new Error(`there is no part ${part}, but ${names.join(", ")}`);
  const rows: Row[] = [];
  if (isWanted("logs")) {
    say("logs");
    rows.push(...(await measureLogs({ megabytes: quick ? 20 : 200 })));
    say("a huge log");
    rows.push(...(await measureHugeLog({ megabytes: quick ? 50 : 1_200 })));
  }
  if (isWanted("fence")) {
    say("fence");
    rows.push(...(await measureFence({ times: quick ? 20 : 100 })));
  }
  if (part !== "logs" && part !== "fence") {
    say("starting a cluster, a hub and an agent");
    await using stage = await setCommandStage();
    for (const [name, run] of Object.entries(stagedParts)) {
      if (!isWanted(name)) continue;
      say(name);
      rows.push(...(await run(stage, quick)));
    }
  }
  say("done");
  if (json) return console.log(JSON.stringify({ bench: "commands", rows }, undefined, 2));
  console.log(formatTable(columns, rows));
}

/** Those that play on one hub, one cluster and one agent, in this order. */
const stagedParts: Readonly<Record<string, (stage: CommandStage, quick: boolean) => Promise<Row[]>>> = {
  starts: async (stage, quick) => [
    ...(await measureStarts({ stage, count: quick ? 10 : 60 })),
    ...(await measureFirstLine({ stage, count: quick ? 10 : 60 })),
  ],
  manifests: (stage, quick) => measureManifests({ stage, rounds: quick ? 1 : 5 }),
  helm: (stage, quick) => measureHelm({ stage, rounds: quick ? 2 : 6 }),
  throughput: (stage, quick) =>
    measureThroughput({ stage, count: quick ? 100 : 500, rounds: quick ? 1 : 5, seconds: quick ? 2 : 3 }),
  memory: async (stage) => [measureMemory(stage.joined.agent.process.pid ?? 0)],
  history: (stage, quick) => measureHistory({ stage, runs: quick ? 10_000 : 100_000, times: quick ? 30 : 200 }),
};

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
