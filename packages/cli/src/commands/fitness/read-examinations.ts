// What the agents found out about their clusters, one examination for each. A cluster without one isn't fit by that: it
// isn't known.
import type { DataAge, HubClient, ObjectFilter } from "@fairlead/contract";
import type { Output } from "../../output/index.ts";
import { asList, asObject, asText, listAll } from "../objects/index.ts";
import { readGenerations } from "./generations.ts";
import { unjudge } from "./unjudge.ts";

export interface ClusterExamination {
  readonly cluster: string;
  readonly age: DataAge;
  /** Undefined where the hub has none. */
  readonly found: Findings | undefined;
  /** Why none of its verdicts says anything: they were made with another generation of the profile. */
  readonly outdated?: string;
}

export interface Findings {
  readonly fitness: string;
  readonly clusterType: string;
  readonly verdicts: Readonly<Record<"pass" | "warn" | "fail" | "unknown", number>>;
  readonly addons: readonly AddonFinding[];
  readonly features: readonly { readonly id: string; readonly state: string }[];
  readonly hidden: readonly { readonly resource: string; readonly why: string }[];
  readonly examinedWith: { readonly profile: string; readonly generation: unknown; readonly catalogue: string };
}

export interface AddonFinding {
  readonly id: string;
  readonly need: string;
  readonly state: string;
  readonly version: string;
}

export const examinationKind = "examinations.fairlead.dev";

export async function readExaminations(
  client: Pick<HubClient, "listObjects" | "listProfileChoices">,
  filter: Pick<ObjectFilter, "cluster" | "clusterSelector">,
  signal: AbortSignal,
): Promise<ClusterExamination[]> {
  const { items, clusters } = await listAll(
    client,
    { ...filter, kind: examinationKind, include: "object" },
    { signal },
  );
  // After the verdicts, so that none is shown that didn't hold any more when it was read.
  const generations = await readGenerations(client, signal);
  const found = new Map(items.map(({ cluster, object }) => [cluster, readFindings(object)]));
  return clusters
    .map((age) => {
      const { cluster } = age;
      const seen = found.get(cluster);
      const outdated = seen && generations.whyOutdated(cluster, seen.examinedWith);
      return !seen || outdated === undefined
        ? { cluster, age, found: seen }
        : { cluster, age, found: unjudge(seen), outdated };
    })
    .toSorted((one, other) => (one.cluster < other.cluster ? -1 : 1));
}

/** Beside the answer, whose verdicts say nothing, and why. */
export function tellOutdated(output: Output, clusters: readonly ClusterExamination[]): void {
  const lines = clusters.flatMap(({ cluster, outdated }) =>
    outdated === undefined ? [] : `${cluster} was ${outdated}.`,
  );
  for (const line of lines.slice(0, mostTold)) output.remark(output.safe(`Warning: ${line}`));
  if (lines.length > mostTold) output.remark(`Warning: so were ${lines.length - mostTold} more clusters.`);
}

function readFindings(object: unknown): Findings {
  const status = asObject(asObject(object)["status"]);
  const verdicts = asObject(status["verdicts"]);
  const count = (name: string): number => Number(verdicts[name] ?? 0);
  const examinedWith = asObject(status["examinedWith"]);
  return {
    fitness: asText(status["fitness"]),
    clusterType: asText(status["clusterType"]),
    verdicts: { pass: count("pass"), warn: count("warn"), fail: count("fail"), unknown: count("unknown") },
    addons: asList(status["addons"]).map(readAddon),
    features: asList(status["features"]).map((each) => {
      const { id, state } = asObject(each);
      return { id: asText(id), state: asText(state) };
    }),
    hidden: asList(status["hidden"]).map((each) => {
      const { resource, why } = asObject(each);
      return { resource: asText(resource), why: asText(why) };
    }),
    examinedWith: {
      profile: asText(examinedWith["profile"]),
      generation: examinedWith["generation"],
      catalogue: asText(examinedWith["catalogue"]),
    },
  };
}

function readAddon(value: unknown): AddonFinding {
  const { id, need, state, version } = asObject(value);
  return { id: asText(id), need: asText(need), state: asText(state), version: asText(version) };
}

const mostTold = 5;
