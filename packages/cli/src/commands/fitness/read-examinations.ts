// Reads what the agents found out about their clusters: one examination for each. The fitness of a cluster without an
// examination is unknown.
import type { ClusterFitness, DataAge, FitnessQuery, HubClient } from "@fairlead/contract";
import type { Output } from "../../output/index.ts";
import { type Generations, readGenerations } from "./generations.ts";
import { unjudge } from "./unjudge.ts";

export interface ClusterExamination extends ClusterFitness {
  readonly age: DataAge;
  /** Why none of its verdicts says anything: they were made with another generation of the profile. */
  readonly outdated?: string;
}

export const examinationKind = "examinations.fairlead.dev";

export async function readExaminations(
  client: Pick<HubClient, "listFitness" | "listProfileChoices">,
  filter: Pick<FitnessQuery, "cluster" | "clusterSelector">,
  signal: AbortSignal,
): Promise<ClusterExamination[]> {
  const clusters = await readPages(client, filter, signal);
  // Read after the verdicts, so that none is shown that didn't hold any more when it was read.
  const generations = await readGenerations(client, signal);
  return clusters.map((cluster) => unlessOutdated(cluster, generations));
}

/** Says beside the answer whose verdicts say nothing, and why. */
export function tellOutdated(output: Output, clusters: readonly ClusterExamination[]): void {
  const lines = clusters.flatMap(({ cluster, outdated }) =>
    outdated === undefined ? [] : `${cluster} was ${outdated}.`,
  );
  for (const line of lines.slice(0, mostTold)) output.remark(output.safe(`Warning: ${line}`));
  if (lines.length > mostTold) output.remark(`Warning: so were ${lines.length - mostTold} more clusters.`);
}

async function readPages(
  client: Pick<HubClient, "listFitness">,
  filter: Pick<FitnessQuery, "cluster" | "clusterSelector">,
  signal: AbortSignal,
): Promise<ClusterFitness[]> {
  const items: ClusterFitness[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.listFitness({ ...filter, cursor }, { signal });
    items.push(...page.items);
    cursor = page.next;
    if (cursor === undefined) return items;
  }
}

function unlessOutdated({ cluster, age, found }: ClusterFitness, generations: Generations): ClusterExamination {
  const outdated = found && generations.whyOutdated(cluster, found.examinedWith);
  if (found === undefined || outdated === undefined) return { cluster, age, found };
  return { cluster, age, found: unjudge(found), outdated };
}

const mostTold = 5;
