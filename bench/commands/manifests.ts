import { median } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import type { CommandStage } from "./stage.ts";

const count = 200;

/** Two hundred objects that are new, and again when nothing has changed, beside kubectl that does the same. */
export async function measureManifests({ stage, rounds }: { stage: CommandStage; rounds: number }): Promise<Row[]> {
  const seconds: Record<"new" | "again", { kubectl: number[]; fairlead: number[] }> = {
    new: { kubectl: [], fairlead: [] },
    again: { kubectl: [], fairlead: [] },
  };
  for (let round = 0; round < rounds; round++) {
    for (const what of ["new", "again"] as const) {
      seconds[what].kubectl.push(await timed(() => byKubectl(stage, makeManifests(`kubectl-${round}`))));
      seconds[what].fairlead.push(await timed(() => byCommand(stage, round)));
    }
  }
  return (["new", "again"] as const).map((what) => {
    const [kubectl, fairlead] = [median(seconds[what].kubectl), median(seconds[what].fairlead)];
    return {
      name: what === "new" ? `${count} new objects` : `${count} objects that are as they should be`,
      unit: "s",
      figures: { "bare tool": kubectl, fairlead, ratio: fairlead / kubectl },
      targets: [atMost(fairlead / kubectl, 1, "of kubectl apply --server-side")],
    };
  });
}

async function byKubectl({ cluster, namespace }: CommandStage, input: string): Promise<void> {
  await cluster.kubectl(["apply", "--server-side", "--namespace", namespace, "-f", "-"], { input });
}

async function byCommand(stage: CommandStage, round: number): Promise<void> {
  const manifests = makeManifests(`fairlead-${round}`);
  await stage.finish(await stage.submit({ set: `many-${round}`, namespace: stage.namespace, manifests }));
}

function makeManifests(prefix: string): string {
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `${prefix}-${index}` },
      data: { text: `text ${index} `.repeat(40) },
    }),
  ).join("\n---\n");
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begunMs = performance.now();
  await work();
  return (performance.now() - begunMs) / 1000;
}
