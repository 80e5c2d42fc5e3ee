// Versions of addons beside the range that this command's own catalogue knows: one catalogue for all clusters, whatever their
// agents have.
import type { VersionStanding } from "@fairlead/doctor";
import { isThere } from "./find-drift.ts";
import type { ClusterExamination } from "./read-examinations.ts";

export interface AddonVersion {
  readonly cluster: string;
  readonly addon: string;
  readonly version?: string | undefined;
  readonly chartVersion?: string | undefined;
  /** The range of the chart's versions. Absent where the catalogue has no chart of the addon. */
  readonly range?: string | undefined;
  readonly standing: VersionStanding;
}

/** Judges the versions of addons that are in the clusters, sorted by addon. */
export async function judgeVersions(clusters: readonly ClusterExamination[]): Promise<AddonVersion[]> {
  const { catalogue, judgeVersion } = await import("@fairlead/doctor");
  const installs = new Map(catalogue.map(({ id, install }) => [id, install]));
  return clusters
    .flatMap(({ cluster, found }) =>
      (found?.addons ?? [])
        .filter(({ state }) => isThere(state))
        .map(({ id, version, chartVersion }) => {
          const install = installs.get(id);
          const standing = judgeVersion(install, { version, chartVersion });
          return { cluster, addon: id, version, chartVersion, range: install?.versionRange, standing };
        }),
    )
    .toSorted((one, other) => (one.addon < other.addon ? -1 : one.addon > other.addon ? 1 : 0));
}
