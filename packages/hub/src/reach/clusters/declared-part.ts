// Clusters as the files say. A cluster that isn't declared any more is only withdrawn: its agents aren't let in, the
// hub's knowledge of it stays, and all is as before once it is declared again. A file that was lost by mistake costs
// nobody an enrollment.
import { isDeepStrictEqual } from "node:util";
import type {
  Declarations,
  DeclaredCluster,
  DeclaredPart,
  DeclaredTask,
  Finding,
  OwnedThing,
} from "../../platform/declarations/index.ts";
import type { ClusterRow } from "./types.ts";

export function createDeclaredClusters(options: {
  readonly all: () => readonly ClusterRow[];
  /** Throws CLUSTER_NAME_RESERVED. */
  readonly requireFree: (name: string) => void;
  readonly put: (clusters: readonly DeclaredCluster[], guard: DeclaredTask["guard"]) => Promise<void>;
}): DeclaredPart {
  const { all, requireFree, put } = options;
  return {
    async reconcile({ wanted, owned, guard }) {
      const known = new Set(all().map(({ name }) => name));
      for (const { name } of wanted.clusters) if (!known.has(name)) requireFree(name);
      const findings = findDifferences(wanted, { rows: all(), owned });
      if (findings.length > 0 || hasMoved(wanted, owned)) await put(wanted.clusters, guard);
      return findings;
    },
    list: () => all().map(({ name }) => ({ kind: "Cluster", name })),
  };
}

export function findDifferences(
  { clusters }: Declarations,
  { rows, owned }: { readonly rows: readonly ClusterRow[]; readonly owned: readonly OwnedThing[] },
): Finding[] {
  const kind = "Cluster";
  const byName = new Map(rows.map((row) => [row.name, row]));
  const names = new Set(clusters.map(({ name }) => name));
  const things = new Map(owned.filter((one) => one.kind === kind).map((one) => [one.name, one]));
  const differing = clusters.flatMap((cluster): Finding[] => {
    const { name } = cluster;
    const row = byName.get(name);
    if (!row) return [{ kind, name, did: "made", detail: things.has(name) ? "it was gone" : "it is new" }];
    const detail = describeDifference(cluster, row);
    if (detail !== undefined) return [{ kind, name, did: "changed", detail }];
    if (things.get(name)?.withdrawnMs === undefined) return [];
    return [{ kind, name, did: "changed", detail: "it is declared again" }];
  });
  const withdrawn = [...things.values()].filter(
    ({ name, withdrawnMs }) => withdrawnMs === undefined && !names.has(name),
  );
  return [
    ...differing,
    ...withdrawn.map(({ name }): Finding => ({ kind, name, did: "withdrawn", detail: "it isn't declared any more" })),
  ];
}

/** Undefined where there is none. An epoch that is ahead of the declared one stays: its revocation was by the API. */
function describeDifference(cluster: DeclaredCluster, row: ClusterRow): string | undefined {
  const { labels, displayName, roles, identityEpoch } = cluster;
  const parts = [
    isDeepStrictEqual({ ...row.labels }, { ...labels }) ? undefined : "its labels were otherwise",
    isDeepStrictEqual([...row.roles], [...roles]) ? undefined : `its roles were ${row.roles.join(", ")}`,
    row.protected === cluster.protected ? undefined : `it was ${row.protected ? "" : "not "}protected`,
    row.display_name === (displayName ?? null) ? undefined : `it had ${nameOf(row)}`,
    row.epoch >= identityEpoch ? undefined : `its identities were of epoch ${row.epoch}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(", ");
}

function nameOf({ display_name: name }: ClusterRow): string {
  return name === null ? "no display name" : `the display name ${name}`;
}

/** To another file, or not yet on record. */
function hasMoved({ clusters }: Declarations, owned: readonly OwnedThing[]): boolean {
  const files = new Map(owned.filter(({ kind }) => kind === "Cluster").map(({ name, file }) => [name, file]));
  return clusters.some(({ name, file }) => files.get(name) !== file);
}
