import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ensureTools, runCommand } from "@fairlead/testkit";
import { median } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import type { CommandStage } from "./stage.ts";

/** Upgrades of a release of twenty objects, all of which change, beside helm that does the same. */
export async function measureHelm({ stage, rounds }: { stage: CommandStage; rounds: number }): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-bench-helm-"));
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "templates"));
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  const { helm } = await ensureTools(["helm"]);
  const bare: number[] = [];
  const commands: number[] = [];
  // The first one installs, and isn't counted.
  for (let turn = 0; turn <= rounds; turn++) {
    const bareSeconds = await timed(async () => {
      const args = ["upgrade", "--install", "bare", folder, "--namespace", stage.namespace, "--set", `turn=${turn}`];
      const env = { KUBECONFIG: stage.cluster.adminKubeconfig, PATH: dirname(helm), HOME: folder };
      await runCommand(helm, [...args, "--wait", "--kubeconfig", stage.cluster.adminKubeconfig], { env });
    });
    const commandSeconds = await timed(async () => {
      const spec = { release: "command", namespace: stage.namespace, chart: { files }, values: { turn } };
      await stage.finish(await stage.submit(spec, { kind: "helm" }));
    });
    if (turn === 0) continue;
    bare.push(bareSeconds);
    commands.push(commandSeconds);
  }
  const [helmSeconds, fairlead] = [median(bare), median(commands)];
  return [
    {
      name: "an upgrade of a release of 20 objects",
      unit: "s",
      figures: { "bare tool": helmSeconds, fairlead, ratio: fairlead / helmSeconds },
      targets: [atMost(fairlead / helmSeconds, 1.15, "of helm alone")],
    },
  ];
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begunMs = performance.now();
  await work();
  return (performance.now() - begunMs) / 1000;
}

const files: Readonly<Record<string, string>> = {
  "Chart.yaml": "apiVersion: v2\nname: bench\nversion: 1.0.0\n",
  "templates/all.yaml": `{{- range $index := until 20 }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $.Release.Name }}-{{ $index }}
data:
  turn: {{ $.Values.turn | quote }}
{{- end }}
`,
};
