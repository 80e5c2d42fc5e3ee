// How versions of hub and agents stand to each other. They work together two minor versions apart, either way.

/** `unknown`: one of them is no version. */
export type Standing = "same" | "older" | "newer" | "too old" | "too new" | "unknown";

/** The agent's version beside the hub's, or beside the one that it is to have. */
export function compareAgent(agent: string, other: string): Standing {
  if (agent === other) return "same";
  const [one, two] = [readVersion(agent), readVersion(other)];
  if (!one || !two) return "unknown";
  const [order] = one.map((part, index) => part - (two[index] ?? 0)).filter((difference) => difference !== 0);
  // Builds of one number, such as 1.2.0-rc.1 beside 1.2.0.
  if (order === undefined) return "unknown";
  const isApart = one[0] !== two[0] || Math.abs((one[1] ?? 0) - (two[1] ?? 0)) > supportedMinors;
  if (order < 0) return isApart ? "too old" : "older";
  return isApart ? "too new" : "newer";
}

/** True where hub and agent promise to work together. */
export function isSupported(standing: Standing): boolean {
  return standing !== "too old" && standing !== "too new";
}

const supportedMinors = 2;

function readVersion(text: string): number[] | undefined {
  const [, ...parts] = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(text) ?? [];
  return parts.length === 3 ? parts.map(Number) : undefined;
}
