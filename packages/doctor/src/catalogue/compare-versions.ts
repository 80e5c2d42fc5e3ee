import { coerce, compare, parse, type SemVer } from "semver";

/** Compares two versions of charts or programs by SemVer; undefined where one of them is no version. */
export function compareVersions(one: string | undefined, other: string | undefined): number | undefined {
  const [first, second] = [readVersion(one), readVersion(other)];
  return first && second ? compare(first, second) : undefined;
}

/** False where one of them is no version. */
export function isOlder(one: string | undefined, other: string): boolean {
  return (compareVersions(one, other) ?? 0) < 0;
}

/** `v1.2` is 1.2.0 and `1.2.3.4` is 1.2.3, which SemVer itself doesn't take for versions. A branch's name is none. */
function readVersion(text: string | undefined): SemVer | undefined {
  if (text === undefined || !/^v?\d+(?:\.\d+){0,3}(?:[-+].*)?$/.test(text)) return undefined;
  return parse(text, { loose: true }) ?? coerce(text, { includePrerelease: true }) ?? undefined;
}
