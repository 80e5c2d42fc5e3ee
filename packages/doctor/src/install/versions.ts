/** Compares two versions of a chart by SemVer; a release comes after its own candidates. */
export function isOlder(one: string, other: string): boolean {
  return compare(read(one), read(other)) < 0;
}

interface Version {
  readonly numbers: readonly number[];
  readonly candidate: string;
}

function read(text: string): Version {
  const [core = "", candidate = ""] = text.replace(/^v/, "").split("+")[0]?.split(/-(.*)/s) ?? [];
  return { numbers: core.split(".").map((part) => Number.parseInt(part, 10) || 0), candidate };
}

function compare(one: Version, other: Version): number {
  for (let index = 0; index < 3; index++) {
    const difference = (one.numbers[index] ?? 0) - (other.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (one.candidate === other.candidate) return 0;
  if (one.candidate === "" || other.candidate === "") return one.candidate === "" ? 1 : -1;
  return one.candidate.localeCompare(other.candidate, "en", { numeric: true });
}
