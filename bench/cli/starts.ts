import { type CommandCost, type CommandLine, measureCommand } from "../harness/measure-command.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import type { CliStage } from "./stage.ts";

/** They take turns: what else the machine does meets both. */
export async function measureStarts(options: {
  readonly stage: CliStage;
  readonly rounds: number;
  readonly say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, rounds, say } = options;
  const { cluster, kubeconfig, fairlead } = stage;
  const direct = (...args: string[]): CommandLine => kubectl(stage, cluster.adminKubeconfig, args);
  const rows: Row[] = [];
  const compare = async (name: string, lines: { ours: CommandLine; peer?: CommandLine }, isBound: boolean) => {
    say(name);
    const peer = lines.peer && (await measureCommand(lines.peer, rounds));
    rows.push(...toRows(name, { ours: await measureCommand(lines.ours, rounds), peer, isBound }));
  };
  await compare("--help", { ours: fairlead("--help"), peer: direct("--help") }, true);
  await compare("version --client", { ours: fairlead("--version"), peer: direct("version", "--client") }, true);
  await compare("get pods (100)", { ours: fairlead("get", "pods"), peer: direct("get", "pods") }, true);
  await compare("the credential", { ours: fairlead("credential") }, true);
  // Not a start of ours alone: kubectl starts the credential, and waits for it.
  const through = kubectl(stage, kubeconfig, ["get", "pods"]);
  await compare("kubectl get pods, through the hub", { ours: through, peer: direct("get", "pods") }, false);
  return rows;
}

function kubectl({ kubectl: command, env }: CliStage, kubeconfig: string, args: readonly string[]): CommandLine {
  return { command, args: ["--kubeconfig", kubeconfig, ...args], env };
}

function toRows(
  name: string,
  { ours, peer, isBound }: { ours: CommandCost; peer: CommandCost | undefined; isBound: boolean },
): Row[] {
  const row = (unit: string, field: keyof CommandCost, most?: number): Row => {
    const [fairlead, kubectl] = [ours[field], peer?.[field]];
    return {
      name: `${name}, ${what[field]}`,
      unit,
      figures: { fairlead, ...(kubectl !== undefined && { kubectl, ratio: fairlead / kubectl }) },
      ...(isBound && most !== undefined && { targets: [atMost(fairlead, most, unit)] }),
    };
  };
  return [row("ms", "cpuMs", 150), row("ms", "wallMs"), row("MiB", "peakMib", 60)];
}

const what: Readonly<Record<keyof CommandCost, string>> = { cpuMs: "CPU time", wallMs: "wall", peakMib: "memory" };
