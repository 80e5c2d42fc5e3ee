import { runCommand, startCluster, type TestCluster } from "@fairlead/testkit";
import { buildPrograms } from "../harness/build-programs.ts";
import { runProgram } from "../harness/run-program.ts";
import { median } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import { fillLargeCluster } from "./large-cluster.ts";

/** The whole command, from its start to its end, beside a program that only lists. They take turns. */
export async function measureOffline(options: {
  readonly objects: number;
  readonly rounds: number;
  readonly say: (text: string) => void;
}): Promise<Row[]> {
  const { objects, rounds, say } = options;
  await buildPrograms();
  say("starting an API server");
  await using cluster = await startCluster({ name: "bench-doctor" });
  // Controllers would change the cluster while it is measured.
  for (const name of ["kube-controller-manager", "kube-scheduler", "kwok"] as const)
    await cluster.components[name].stop();
  say(`making ${objects} objects`);
  await fillLargeCluster(cluster, objects);
  const read = await examine(cluster);
  say(`it reads ${read.objects} objects of ${read.resources.length} kinds`);
  const listsMs: number[] = [];
  const runsMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`);
    listsMs.push(await timed(() => listBarely(cluster, read.resources)));
    runsMs.push(await timed(() => examine(cluster)));
  }
  const figures = { "bare lists": median(listsMs), fairlead: median(runsMs) };
  const beyond = figures.fairlead - figures["bare lists"];
  return [
    {
      name: `examining ${objects} objects, whole command`,
      unit: "ms",
      figures: { ...figures, beyond },
      targets: [atMost(beyond, 3_000, "ms beyond the lists")],
    },
  ];
}

async function listBarely({ adminKubeconfig }: TestCluster, resources: readonly string[]): Promise<void> {
  await runProgram("bench/peers/bare-lister.ts", { kubeconfig: adminKubeconfig, resources });
}

/** Built, as users run it. Nobody asks here whether the cluster is fit. */
async function examine({ adminKubeconfig, stateDir }: TestCluster): Promise<Read> {
  const args = ["packages/cli/dist/main.js", "doctor", "--kubeconfig", adminKubeconfig, "--json"];
  const env = { PATH: process.env["PATH"] ?? "", HOME: stateDir };
  const { code, stdout, stderr } = await runCommand(process.execPath, args, { env, allowFailure: true });
  if (stderr !== "" || code > 1) throw new Error(`the doctor ended with ${code}: ${stderr}`);
  return (JSON.parse(stdout) as { read: Read }).read;
}

interface Read {
  readonly objects: number;
  readonly resources: readonly string[];
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}
