// What the agents found out about their clusters, one examination for each. A cluster without one isn't fit by that: it
// isn't known.
import {
  type ClusterFitness,
  type DataAge,
  type Findings,
  type FitnessQuery,
  findingsSchema,
  type HubClient,
} from "@fairlead/contract";
import { hubCodes } from "../../hub-codes.ts";
import { asObject, listAll } from "../objects/index.ts";

export interface ClusterExamination {
  readonly cluster: string;
  readonly age: DataAge;
  /** Undefined where the hub has none. */
  readonly found: Findings | undefined;
}

export const examinationKind = "examinations.fairlead.dev";

export async function readExaminations(
  client: Pick<HubClient, "listFitness" | "listObjects">,
  filter: Pick<FitnessQuery, "cluster" | "clusterSelector">,
  signal: AbortSignal,
): Promise<ClusterExamination[]> {
  try {
    return (await readMatrix(client, filter, signal)).map(({ cluster, age, found }) => ({ cluster, age, found }));
  } catch (thrown) {
    if (!hubCodes.is(thrown, "API_ROUTE_UNKNOWN")) throw thrown;
    return await readObjects(client, filter, signal);
  }
}

async function readMatrix(
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

/** The same of a hub of a version before, which has only the objects. */
async function readObjects(
  client: Pick<HubClient, "listObjects">,
  filter: Pick<FitnessQuery, "cluster" | "clusterSelector">,
  signal: AbortSignal,
): Promise<ClusterExamination[]> {
  const query = { ...filter, kind: examinationKind, include: "object" } as const;
  const { items, clusters } = await listAll(client, query, { signal });
  const found = new Map(
    items.map(({ cluster, object }) => [cluster, findingsSchema.safeParse(asObject(object)["status"]).data]),
  );
  return clusters
    .map((age) => ({ cluster: age.cluster, age, found: found.get(age.cluster) }))
    .toSorted((one, other) => (one.cluster < other.cluster ? -1 : 1));
}
