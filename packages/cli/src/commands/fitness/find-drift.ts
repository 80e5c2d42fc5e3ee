// Where clusters that should be alike aren't: an addon that runs in several of them in different versions, or that some
// have and others lack.
import type { ClusterExamination } from "./read-examinations.ts";

export interface Drift {
  readonly addon: string;
  /** Each way it is there, with the clusters; the most usual first. */
  readonly ways: readonly { readonly way: string; readonly clusters: readonly string[] }[];
}

/** Leaves out clusters that don't say whether they have the addon. */
export function findDrift(clusters: readonly ClusterExamination[]): Drift[] {
  const ways = new Map<string, Map<string, string[]>>();
  for (const { cluster, found } of clusters) {
    for (const { id, state, version } of found?.addons ?? []) {
      if (state === "unknown") continue;
      const way = isThere(state) ? (version ?? "some version") : "absent";
      const ofAddon = ways.get(id) ?? new Map<string, string[]>();
      ways.set(id, ofAddon);
      ofAddon.set(way, [...(ofAddon.get(way) ?? []), cluster]);
    }
  }
  return [...ways]
    .filter(([, ofAddon]) => ofAddon.size > 1)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([addon, ofAddon]) => ({
      addon,
      ways: [...ofAddon].map(([way, names]) => ({ way, clusters: names })).toSorted(byUse),
    }));
}

/** Something of it runs, as far as anybody knows. */
export function isThere(state: string): boolean {
  return !["absent", "crds-only", "unknown"].includes(state);
}

function byUse(one: Drift["ways"][number], other: Drift["ways"][number]): number {
  return other.clusters.length - one.clusters.length || (one.way < other.way ? -1 : 1);
}
