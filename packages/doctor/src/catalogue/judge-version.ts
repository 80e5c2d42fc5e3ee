// How an installed version stands to the range of the catalogue. That one is of charts, so that a program's own version says
// something only where its chart has the same.
import type { ChartInstall } from "./addon.ts";
import { compareVersions } from "./compare-versions.ts";

/** `behind` and `ahead`: the catalogue's checks may say something wrong. */
export type VersionStanding = "within" | "behind" | "ahead" | "unknown";

export function judgeVersion(
  install: Pick<ChartInstall, "versionRange" | "isVersionOfProgram"> | undefined,
  found: { readonly version?: string | undefined; readonly chartVersion?: string | undefined },
): VersionStanding {
  const text = found.chartVersion ?? (install?.isVersionOfProgram ? found.version : undefined);
  // `>=1.2.0 <3.0.0`, as all of the catalogue are.
  const [, from, below] = /^>=(\S+) <(\S+)$/.exec(install?.versionRange ?? "") ?? [];
  const [toFrom, toBelow] = [compareVersions(text, from), compareVersions(text, below)];
  if (toFrom === undefined || toBelow === undefined) return "unknown";
  if (toFrom < 0) return "behind";
  return toBelow < 0 ? "within" : "ahead";
}
