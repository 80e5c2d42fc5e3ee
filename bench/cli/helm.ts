// Three installations at once, straight and through the hub: Helm starts the credential for each of its connections.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { CpuMeter } from "../harness/cpu.ts";
import { readEndedCpuMs, runOnce } from "../harness/measure-command.ts";
import { median } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import type { CliStage } from "./stage.ts";

const together = 3;

export async function measureHelm(options: {
  readonly stage: CliStage;
  readonly rounds: number;
  readonly say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, rounds, say } = options;
  const chart = await writeChart(stage.folder);
  const counted = await countStarts(stage);
  const [direct, through]: Cost[][] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    say(`three installations at once, round ${round + 1} of ${rounds}`);
    direct?.push(await install(stage, { chart, kubeconfig: stage.cluster.adminKubeconfig, name: `direct-${round}` }));
    through?.push(await install(stage, { chart, kubeconfig: stage.kubeconfig, name: `hub-${round}` }));
  }
  say("the same, with each start of the credential counted");
  await install(stage, { chart, kubeconfig: counted.kubeconfig, name: "counted" });
  const starts = await counted.read();
  const row = (name: string, unit: string, field: keyof Cost): Row => {
    const [peer, fairlead] = [direct ?? [], through ?? []].map((costs) => median(costs.map((cost) => cost[field])));
    const figures = { "helm, direct": peer ?? 0, fairlead: fairlead ?? 0, ratio: (fairlead ?? 0) / (peer || 1) };
    return { name, unit, figures };
  };
  return [
    row(`${together} x helm install at once, wall`, "ms", "wallMs"),
    row("CPU time of helm and the credential", "ms", "clientMs"),
    row("CPU time of the hub", "ms", "hubMs"),
    row("CPU time of the agent", "ms", "agentMs"),
    row("CPU time of the API server", "ms", "apiServerMs"),
    { name: "starts of the credential", unit: "", figures: { fairlead: starts } },
  ];
}

interface Cost {
  readonly wallMs: number;
  readonly clientMs: number;
  readonly hubMs: number;
  readonly agentMs: number;
  readonly apiServerMs: number;
}

async function install(
  { helm, env, hub, agent, cluster }: CliStage,
  { chart, kubeconfig, name }: { readonly chart: string; readonly kubeconfig: string; readonly name: string },
): Promise<Cost> {
  const meter = new CpuMeter({
    hub: hub.process.pid,
    agent: agent.process.pid,
    apiServer: cluster.apiServer.pid ?? 0,
  });
  const [clientBefore, startedAt] = [readEndedCpuMs(), performance.now()];
  const flags = ["--kubeconfig", kubeconfig, "--namespace", "default"];
  await Promise.all(
    Array.from({ length: together }, (_, index) =>
      runOnce({ command: helm, args: ["install", `${name}-${index}`, chart, ...flags], env }),
    ),
  );
  const wallMs = performance.now() - startedAt;
  const { hub: hubMs = 0, agent: agentMs = 0, apiServer: apiServerMs = 0 } = meter.readPerRequest(1);
  return { wallMs, clientMs: readEndedCpuMs() - clientBefore, hubMs, agentMs, apiServerMs };
}

/** Writes a chart of ten ConfigMaps; the measurement doesn't depend on the kinds of objects. */
async function writeChart(folder: string): Promise<string> {
  const chart = join(folder, "chart");
  await mkdir(join(chart, "templates"), { recursive: true });
  await writeFile(join(chart, "Chart.yaml"), "apiVersion: v2\nname: bench\nversion: 1.0.0\n");
  for (let index = 0; index < 10; index += 1) {
    const name = `{{ .Release.Name }}-${index}`;
    const object = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "${name}"}\ndata: {a: b}\n`;
    await writeFile(join(chart, "templates", `${index}.yaml`), object);
  }
  return chart;
}

/** A kubeconfig whose credential is started by a shell, which writes a line for each start. */
async function countStarts({ folder, kubeconfig }: CliStage) {
  const log = join(folder, "starts");
  await writeFile(log, "");
  const config = parse(await readFile(kubeconfig, "utf8")) as {
    users: { user: { exec: { command: string; args: string[] } } }[];
  };
  for (const { user } of config.users) {
    const { command, args } = user.exec;
    user.exec.command = "/bin/sh";
    user.exec.args = ["-c", `echo >> '${log}'; exec "$0" "$@"`, command, ...args];
  }
  const file = `${kubeconfig}-counted`;
  await writeFile(file, stringify(config));
  return { kubeconfig: file, read: async () => (await readFile(log, "utf8")).length };
}
