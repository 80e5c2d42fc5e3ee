// A quiet user beside a busy one: on the same cluster, on another cluster of the hub, and when the hub holds each user
// to limits. On a machine of few cores the busy one also takes what everybody runs on, so the same load straight at the
// API server, past the hub, is measured too.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createAgentKubeconfig, startAgent, startHub, type TestHub } from "@fairlead/testkit";
import { type Route, runLoad } from "../harness/load.ts";
import { mebibyte } from "../harness/measure-way.ts";
import { startPeer } from "../harness/peer-process.ts";
import { countRounds, type Rounds } from "../harness/rounds.ts";
import { Samples } from "../harness/samples.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import type { AccessStage } from "./stage.ts";

const limits = ["--limit-user-requests", "2", "--limit-user-bytes-per-second", "10000000"];

export async function measureFairness(options: {
  stage: AccessStage;
  rounds: Rounds;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, rounds, say } = options;
  await using undo = new AsyncDisposableStack();
  const quiet = stage.viaHub;
  const busy = { ...quiet, authorization: await addBusyUser(stage.hub) };
  const limited = await startLimitedHub(stage, undo);
  const direct = stage.ways.find(({ name }) => name === "direct") ?? quiet;
  const cases = [
    { name: "alone", quiet, busy: undefined },
    { name: "beside a busy one past the hub", quiet, busy: direct },
    { name: "beside a busy one on the same cluster", quiet, busy },
    {
      name: "beside a busy one on another cluster",
      quiet,
      busy: { ...busy, pathPrefix: `/k8s/clusters/${stage.cuttable.name}` },
    },
    { name: "beside a busy one who is held to limits", quiet: limited.quiet, busy: limited.busy },
  ];
  const samples = new Samples();
  for (const round of countRounds(rounds)) {
    say(`round ${round} of ${rounds.most}: a quiet user, alone and beside a busy one`);
    for (const { name, quiet: route, busy: other } of cases) {
      await using _busy = other && (await startBusy(stage, other));
      const { p50Ms, p99Ms } = await runLoad({
        route,
        path: stage.smallPath,
        concurrency: 1,
        durationMs: 2500,
        warmUpMs: 1500,
      });
      samples.add("p50", name, p50Ms);
      samples.add("p99", name, p99Ms);
    }
  }
  const names = cases.map(({ name }) => name);
  const p50 = samples.medians("p50", names);
  const p99 = samples.medians("p99", names);
  const row = (name: string): Row[] => [
    { name: `quiet user's GET ${name}, p50`, unit: "ms", figures: { fairlead: p50[name] ?? 0 } },
    { name: `quiet user's GET ${name}, p99`, unit: "ms", figures: { fairlead: p99[name] ?? 0 } },
  ];
  const rows = names.flatMap(row);
  const heldToLimits = (p99[names.at(-1) ?? ""] ?? 0) / (p99["alone"] ?? 1);
  return rows.map((last, index) =>
    index === rows.length - 1 ? { ...last, targets: [atMost(heldToLimits, 2, "of alone")] } : last,
  );
}

function startBusy(stage: AccessStage, route: Route) {
  const downloadPath = `${stage.bulkPath}/down?bytes=${64 * mebibyte}`;
  return startPeer("busy-client.ts", { route, smallPath: stage.smallPath, downloadPath, requests: 32, downloads: 2 });
}

/** A robot that may do all; answers its authorization. */
async function addBusyUser(hub: TestHub): Promise<string> {
  const tokenFile = join(hub.dataDir, "..", "busy.token");
  await hub.cli(["access", "robot", "create", "busy"]);
  await hub.cli(["access", "binding", "create", "admin", "--robot", "busy", "--all-clusters"]);
  await hub.cli(["access", "robot", "token", "create", "busy", "--token-out", tokenFile]);
  return `Bearer ${(await readFile(tokenFile, "utf8")).trim()}`;
}

/** A hub of its own before the same API server, with limits far below what the busy user asks for. */
async function startLimitedHub(stage: AccessStage, undo: AsyncDisposableStack): Promise<{ quiet: Route; busy: Route }> {
  const hub = undo.use(await startHub({ args: limits }));
  const tokenFile = join(hub.dataDir, "..", "limited.token");
  await hub.cli(["cluster", "add", "limited", "--token-out", tokenFile]);
  const kubeconfig = await createAgentKubeconfig(stage.cluster);
  undo.use(await startAgent({ name: "limited", hubUrl: hub.agentUrl, tokenFile, kubeconfig }));
  const quiet = {
    name: "fairlead",
    origin: hub.url,
    pathPrefix: "/k8s/clusters/limited",
    ca: hub.caPem,
    authorization: `Bearer ${hub.adminToken}`,
  };
  return { quiet, busy: { ...quiet, authorization: await addBusyUser(hub) } };
}
