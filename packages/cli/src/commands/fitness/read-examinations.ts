// What the agents found out about their clusters, one examination for each. A cluster without one isn't fit by that: it
// isn't known.
import type { DataAge, HubClient, ObjectFilter } from "@fairlead/contract";
import { asList, asObject, asText, listAll } from "../objects/index.ts";

export interface ClusterExamination {
  readonly cluster: string;
  readonly age: DataAge;
  /** Undefined where the hub has none. */
  readonly found: Findings | undefined;
}

export interface Findings {
  readonly fitness: string;
  readonly clusterType: string;
  readonly verdicts: Readonly<Record<"pass" | "warn" | "fail" | "unknown", number>>;
  readonly addons: readonly AddonFinding[];
  readonly features: readonly { readonly id: string; readonly state: string }[];
  readonly hidden: readonly { readonly resource: string; readonly why: string }[];
  readonly examinedWith: { readonly profile: string; readonly catalogue: string };
}

export interface AddonFinding {
  readonly id: string;
  readonly need: string;
  readonly state: string;
  readonly version: string;
}

export const examinationKind = "examinations.fairlead.dev";

export async function readExaminations(
  client: Pick<HubClient, "listObjects">,
  filter: Pick<ObjectFilter, "cluster" | "clusterSelector">,
  signal: AbortSignal,
): Promise<ClusterExamination[]> {
  const { items, clusters } = await listAll(
    client,
    { ...filter, kind: examinationKind, include: "object" },
    { signal },
  );
  const found = new Map(items.map(({ cluster, object }) => [cluster, readFindings(object)]));
  return clusters
    .map((age) => ({ cluster: age.cluster, age, found: found.get(age.cluster) }))
    .toSorted((one, other) => (one.cluster < other.cluster ? -1 : 1));
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
    examinedWith: { profile: asText(examinedWith["profile"]), catalogue: asText(examinedWith["catalogue"]) },
  };
}

function readAddon(value: unknown): AddonFinding {
  const { id, need, state, version } = asObject(value);
  return { id: asText(id), need: asText(need), state: asText(state), version: asText(version) };
}
