// How an installed version stands to the range of the catalogue. That one is of charts, so that a program's own version says
// something only where its chart has the same.
import type { ChartInstall } from "./addon.ts";

/** `behind` and `ahead`: the catalogue's checks may say something wrong. */
export type VersionStanding = "within" | "behind" | "ahead" | "unknown";

export function judgeVersion(
  install: Pick<ChartInstall, "versionRange" | "isVersionOfProgram"> | undefined,
  found: { readonly version?: string | undefined; readonly chartVersion?: string | undefined },
): VersionStanding {
  const text = found.chartVersion ?? (install?.isVersionOfProgram ? found.version : undefined);
  const range = install && parseRange(install.versionRange);
  const version = parseVersion(text);
  if (!range || !version) return "unknown";
  if (compare(version, range.from) < 0) return "behind";
  return compare(version, range.below) < 0 ? "within" : "ahead";
}

interface Range {
  readonly from: Version;
  readonly below: Version;
}

/** `>=1.2.0 <3.0.0`, as all of the catalogue are. */
function parseRange(text: string): Range | undefined {
  const [, from, below] = /^>=(\S+) <(\S+)$/.exec(text) ?? [];
  const range = { from: parseVersion(from), below: parseVersion(below) };
  return range.from && range.below ? { from: range.from, below: range.below } : undefined;
}

interface Version {
  readonly numbers: readonly number[];
  /** `2.0.0-rc.1` comes before 2.0.0. */
  readonly isEarly: boolean;
}

function parseVersion(text: string | undefined): Version | undefined {
  const [, numbers, early] = /^v?(\d+(?:\.\d+){0,3})(-[\w.-]+)?(?:\+.*)?$/.exec(text ?? "") ?? [];
  return numbers === undefined ? undefined : { numbers: numbers.split(".").map(Number), isEarly: early !== undefined };
}

function compare(one: Version, other: Version): number {
  for (let at = 0; at < Math.max(one.numbers.length, other.numbers.length); at++) {
    const difference = (one.numbers[at] ?? 0) - (other.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(other.isEarly) - Number(one.isEarly);
}
